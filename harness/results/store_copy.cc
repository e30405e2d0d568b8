// Copies runs from one results file to another, completely and with each row checked.
#include <sqlite3.h>

#include "harness/base/hash.h"
#include "harness/base/shell_word.h"
#include "harness/results/store_impl.h"

namespace anecheck {
namespace {

// Adds a value as its text, followed by a separator.
template <typename T>
void AddTo(Fnv1a& hash, const T& value) {
  if constexpr (Word<T>) {
    hash.Add(ToText(value));
  } else if constexpr (kIsOptionalWord<T>) {
    hash.Add(value ? ToText(*value) : std::string_view());
  } else if constexpr (std::is_same_v<T, DefectSet>) {
    hash.Add(std::string_view(value.ToText()));
  } else if constexpr (kIsOptional<T>) {
    hash.Add(std::string_view(value.value_or("")));
  } else if constexpr (std::is_same_v<T, std::string>) {
    hash.Add(std::string_view(value));
  } else {
    hash.Add(std::string_view(fmt::format("{}", value)));
  }
  hash.Add(uint64_t{0x1ff});
}

template <typename Row>
constexpr bool kIsRun = !kTable<Row>.rule.of_run;

}  // namespace

Result<uint64_t> Store::Digest(int64_t run) {
  Fnv1a hash;
  ANECHECK_RETURN_IF_ERROR(ForEachTable([&]<typename Row>(Row*) -> Status {
    ANECHECK_ASSIGN(auto reader, RowReader<Row>::Open(impl_->file, run));
    Row row;
    for (;;) {
      ANECHECK_ASSIGN(const bool more, reader.Next(row));
      if (!more) return {};
      const auto add = [&](const auto& column) {
        const bool number_of_run = kIsRun<Row> && column.key;
        if (!column.local && !number_of_run) AddTo(hash, std::invoke(column.access, row));
      };
      std::apply([&](const auto&... column) { (add(column), ...); }, kTable<Row>.columns);
    }
  }));
  return hash.value();
}

Status Store::CopyRuns(Store& from, std::span<const std::pair<int64_t, int64_t>> runs) {
  ANECHECK_ASSIGN(Transaction transaction, Transaction::Begin(impl_->file));
  const Status copied = ForEachTable([&]<typename Row>(Row*) -> Status {
    ANECHECK_ASSIGN(RowWriter<Row>* const writer, impl_->Writer<Row>());
    for (const auto& [here, there] : runs) {
      ANECHECK_ASSIGN(auto reader, RowReader<Row>::Open(from.impl_->file, here));
      Row row;
      for (;;) {
        ANECHECK_ASSIGN(const bool more, reader.Next(row));
        if (!more) break;
        if constexpr (kIsRun<Row>) row.id = there;
        ANECHECK_RETURN_IF_ERROR(writer->Add(there, row));
      }
    }
    return {};
  });
  ANECHECK_RETURN_IF_ERROR(copied);
  return transaction.Commit();
}

Status Store::NameFile(std::string_view name) {
  Result<Statement> update = Statement::Prepare(
      impl_->file.database,
      "UPDATE findings SET replay = 'anecheck replay ' || id || ' --db ' || ? || CASE WHEN id IN "
      "(SELECT id FROM findings GROUP BY id HAVING count(*) > 1) THEN ' --run ' || "
      "(SELECT uuid FROM runs WHERE runs.id = findings.run) ELSE '' END");
  if (!update.ok()) return impl_->file.Failed("cannot write");
  const std::string word = ShellWord(std::string(name));
  update->Bind(word);
  return update->Run() ? Status() : impl_->file.Failed("cannot write");
}

}  // namespace anecheck
