-- Version 8 of the results file. One file holds any number of runs; `merge` copies rows between
-- files. Every table that is read by run has an index that begins with it.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,   -- 'schema_version', 'tool_version'
  value TEXT NOT NULL
) WITHOUT ROWID;

-- One campaign. `options` is the JSON from which the campaign can be started again.
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,       -- the same run in two files is the same row
  command TEXT NOT NULL,           -- what a person would type to run it again
  options TEXT NOT NULL,
  seed INTEGER NOT NULL,
  state TEXT NOT NULL,             -- 'running', 'finished', 'interrupted'
  started TEXT NOT NULL,           -- UTC, ISO 8601
  finished TEXT,
  tool_version TEXT NOT NULL,
  host TEXT NOT NULL,
  os TEXT NOT NULL,
  runner TEXT NOT NULL,            -- 'e5rt', 'roundtrip', 'exec:...'
  provenance TEXT NOT NULL,        -- 'silicon', 'simulated', 'roundtrip', 'reported'
  engine TEXT NOT NULL,            -- the engine's own version text
  chip TEXT NOT NULL,
  compiler_version TEXT NOT NULL
);

-- One graph on one target. Everything but the times follows from the run's options and the index.
CREATE TABLE cases (
  run INTEGER NOT NULL REFERENCES runs(id),
  case_index INTEGER NOT NULL,
  seed INTEGER NOT NULL,           -- of this case's choice stream
  target TEXT NOT NULL,
  route TEXT NOT NULL,             -- 'mil', 'netlist'
  mode TEXT NOT NULL,              -- what the generator was after
  fingerprint INTEGER NOT NULL,    -- of the graph
  nodes INTEGER NOT NULL,
  status TEXT NOT NULL,            -- what the runner said: 'ok', 'rejected', 'failed', 'crashed', ...
  stage TEXT NOT NULL,             -- where it stopped, '' where it ran or that is not known; of
                                   -- a metamorphic case that ran, where the rewritten graph stopped
  backend TEXT NOT NULL,           -- proved by analytics: 'ane', ''
  verdict TEXT NOT NULL,           -- 'pass', 'known-defect', 'wrong', 'inconclusive', 'rejected', ...
  message TEXT NOT NULL,
  compile_us INTEGER NOT NULL,
  run_us INTEGER NOT NULL,
  PRIMARY KEY (run, case_index)
) WITHOUT ROWID;
CREATE INDEX cases_by_verdict ON cases (run, verdict);

-- One judged output of a case.
CREATE TABLE outputs (
  run INTEGER NOT NULL,
  case_index INTEGER NOT NULL,
  output_index INTEGER NOT NULL,
  op TEXT NOT NULL,                -- the operation that produced it
  verdict TEXT NOT NULL,
  elements INTEGER NOT NULL,
  outside INTEGER NOT NULL,
  worst_ulp INTEGER NOT NULL,
  known_defect TEXT NOT NULL,      -- 'D01', '' for none
  reason TEXT NOT NULL,
  PRIMARY KEY (run, case_index, output_index)
) WITHOUT ROWID;

-- How far each operation got, counted over the cases of a run. The rewritten graph of a metamorphic
-- case counts for the operations that rewriting added (for all of them where it added none) and by
-- its own route; the graph itself for its own others.
CREATE TABLE reach (
  run INTEGER NOT NULL REFERENCES runs(id),
  target TEXT NOT NULL,
  route TEXT NOT NULL,
  op TEXT NOT NULL,
  cases INTEGER NOT NULL,          -- cases that hold the operation
  compiled INTEGER NOT NULL,
  dispatched INTEGER NOT NULL,     -- ran, and the engine's own analytics name the engine
  correct INTEGER NOT NULL,        -- all outputs that depend on it inside their intervals
  known_defect INTEGER NOT NULL,   -- explained by a documented defect of any operation of the case
  wrong INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  inconclusive INTEGER NOT NULL,
  PRIMARY KEY (run, target, route, op)
) WITHOUT ROWID;

-- The part of `reach` whose answers came with a proof that was checked, in a run that is otherwise
-- its runner's word: it counts as `provenance`, the rest of `reach` as the run's.
CREATE TABLE proved_reach (
  run INTEGER NOT NULL REFERENCES runs(id),
  target TEXT NOT NULL,
  route TEXT NOT NULL,
  op TEXT NOT NULL,
  provenance TEXT NOT NULL,        -- 'silicon'
  cases INTEGER NOT NULL,
  compiled INTEGER NOT NULL,
  dispatched INTEGER NOT NULL,
  correct INTEGER NOT NULL,
  known_defect INTEGER NOT NULL,
  wrong INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  inconclusive INTEGER NOT NULL,
  PRIMARY KEY (run, target, route, op, provenance)
) WITHOUT ROWID;

-- Of the cases that `reach` counts, those with deviations that only terms never measured on their
-- family forbid; beside them those of `proved_reach`.
CREATE TABLE unconfirmed_reach (
  run INTEGER NOT NULL REFERENCES runs(id),
  target TEXT NOT NULL,
  route TEXT NOT NULL,
  op TEXT NOT NULL,
  provenance TEXT NOT NULL,        -- '' of all cases, else that of the part which was proved
  cases INTEGER NOT NULL,
  PRIMARY KEY (run, target, route, op, provenance)
) WITHOUT ROWID;

-- Errors in ulp of the outputs that an operation produced: bucket 0 is exact, then 1, 2, 3-4, 5-8 ...
CREATE TABLE ulp_histogram (
  run INTEGER NOT NULL REFERENCES runs(id),
  target TEXT NOT NULL,
  op TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  elements INTEGER NOT NULL,
  PRIMARY KEY (run, target, op, bucket)
) WITHOUT ROWID;

-- What a person must look at. `artifact` is the finding as JSON: graph, inputs, expectation, answer.
CREATE TABLE findings (
  run INTEGER NOT NULL REFERENCES runs(id),
  id TEXT NOT NULL,                -- 'f3a1c09d2be4', from run seed, case and signature
  case_index INTEGER NOT NULL,
  op TEXT NOT NULL,                -- of a known defect the one that has it in this case
  target TEXT NOT NULL,
  route TEXT NOT NULL,
  verdict TEXT NOT NULL,           -- 'wrong', 'crashed', 'hung', 'rejected', 'failed', 'flaky', 'known-defect', 'unconfirmed', ...
  known_defect TEXT NOT NULL,
  signature TEXT NOT NULL,         -- findings with one signature are one defect
  occurrences INTEGER NOT NULL,    -- cases of this run with that signature
  summary TEXT NOT NULL,           -- one line
  replay TEXT NOT NULL,            -- the command that runs it again; names the run where others have the id for something else
  artifact TEXT NOT NULL,
  PRIMARY KEY (run, id)
) WITHOUT ROWID;
CREATE INDEX findings_by_signature ON findings (signature);

-- Numeric cliffs: one measurement of one probe on one target.
CREATE TABLE probes (
  run INTEGER NOT NULL REFERENCES runs(id),
  probe TEXT NOT NULL,             -- 'accumulator_port'
  target TEXT NOT NULL,
  state TEXT NOT NULL,             -- 'no cliff', 'at value', 'unmeasured'
  value TEXT NOT NULL,             -- of 'at value': a decimal, 'Infinity', 'NaN'; '' otherwise
  published TEXT NOT NULL,         -- the same for the family, 'no cliff', '' where nothing is known
  agrees TEXT NOT NULL,            -- 'yes', 'no', '' where there is nothing to compare
  message TEXT NOT NULL,           -- why it is unmeasured
  PRIMARY KEY (run, probe, target)
) WITHOUT ROWID;

-- Cells of the space of cases that a run met (harness/campaign/coverage.h).
CREATE TABLE coverage (
  run INTEGER NOT NULL REFERENCES runs(id),
  kind TEXT NOT NULL,              -- 'op_attribute', 'op_pair', ...
  cell TEXT NOT NULL,              -- 'conv.groups=given', 'conv>relu'
  cases INTEGER NOT NULL,
  first_case INTEGER NOT NULL,
  PRIMARY KEY (run, kind, cell)
) WITHOUT ROWID;

-- Errors in ulp of the outputs that an operation produced, by the magnitude of the expected value,
-- over elements where it and the answer are finite.
CREATE TABLE magnitude_errors (
  run INTEGER NOT NULL REFERENCES runs(id),
  target TEXT NOT NULL,
  op TEXT NOT NULL,
  exponent INTEGER NOT NULL,       -- the even number at or below log2 |value|; -26: 0 and below 2^-24
  elements INTEGER NOT NULL,
  sum_ulp INTEGER NOT NULL,        -- an error of more than 65536 counts as that
  max_ulp INTEGER NOT NULL,
  PRIMARY KEY (run, target, op, exponent)
) WITHOUT ROWID;

-- What the run was made with besides the tool: libraries, the C library, the compiler, and a
-- checksum of the engine's file, where it has one.
CREATE TABLE libraries (
  run INTEGER NOT NULL REFERENCES runs(id),
  name TEXT NOT NULL,              -- 'sqlite', 'compiler', 'engine'
  version TEXT NOT NULL,
  PRIMARY KEY (run, name)
) WITHOUT ROWID;

-- How long the run had worked when a case and all before it were recorded. Time between a stop and
-- going on does not count. There is a row for the batch of every finding.
CREATE TABLE pace (
  run INTEGER NOT NULL REFERENCES runs(id),
  case_index INTEGER NOT NULL,
  seconds REAL NOT NULL,
  PRIMARY KEY (run, case_index)
) WITHOUT ROWID;

-- Which way the errors of an operation lean inside their bounds: the sums of the sequential test of
-- oracles/lean_sums.h, over outputs that passed. Parts of a bound and binary logarithms stand in
-- 1 / 1048576.
CREATE TABLE error_leans (
  run INTEGER NOT NULL REFERENCES runs(id),
  target TEXT NOT NULL,
  route TEXT NOT NULL,
  op TEXT NOT NULL,
  lean TEXT NOT NULL,              -- 'up', 'down', 'away', 'toward' (zero), 'fills'
  outputs INTEGER NOT NULL,
  sum INTEGER NOT NULL,            -- of the outputs' mean errors that way, in parts of the bound
  capital_1 INTEGER NOT NULL,      -- log2 of what is left to who bets 1/8 of it on each output
  capital_2 INTEGER NOT NULL,      -- 1/4
  capital_3 INTEGER NOT NULL,      -- 1/2
  capital_4 INTEGER NOT NULL,      -- 3/4
  extreme_case INTEGER NOT NULL,   -- whose output leans most
  extreme INTEGER NOT NULL,        -- by so much
  PRIMARY KEY (run, target, route, op, lean)
) WITHOUT ROWID;
