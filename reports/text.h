// Escapes text for the formats of reports. The content of a results file comes from engines and
// other machines, and is never trusted.
#pragma once

#include <string>
#include <string_view>

namespace anecheck::reports {

// Returns `text` as valid UTF-8 without control characters other than tab and line feed. Each
// invalid byte becomes U+FFFD. XML 1.0 (section 2.2) does not allow other control characters.
std::string CleanText(std::string_view text);

// Returns `text` as the content of an XML element or of a double-quoted attribute.
std::string EscapeXml(std::string_view text);

// Returns one line of Markdown in which no character of `text` is markup. The line may be a table
// cell (GitHub Flavored Markdown, section 4.10). Line breaks become spaces.
std::string EscapeMarkdown(std::string_view text);

// Returns one line of Markdown that shows `text` as code.
std::string MarkdownCode(std::string_view text);

// Returns `text` as one CSV field (RFC 4180).
std::string CsvField(std::string_view text);

// Returns a file's path as a URI reference (RFC 3986). Every byte except '/' and the unreserved
// characters is percent-encoded.
std::string EscapeUri(std::string_view path);

}  // namespace anecheck::reports
