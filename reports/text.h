// Escaping of text for the formats that reports are written in. The content of a results file comes
// from engines and other machines, and is never trusted.
#pragma once

#include <string>
#include <string_view>

namespace anecheck::reports {

// `text` as valid UTF-8 without control characters other than tab and line feed; each wrong byte
// becomes U+FFFD. XML 1.0 (section 2.2) allows no others.
std::string CleanText(std::string_view text);

// Content of an XML element or of a double-quoted attribute.
std::string EscapeXml(std::string_view text);

// One line of Markdown in which no character of `text` is markup, safe in a cell of a table (GitHub
// Flavored Markdown, section 4.10). Line breaks become spaces.
std::string EscapeMarkdown(std::string_view text);

// One line of Markdown that shows `text` as code.
std::string MarkdownCode(std::string_view text);

// One CSV field (RFC 4180).
std::string CsvField(std::string_view text);

// A file's path as a URI reference (RFC 3986): every byte outside the unreserved characters and
// '/' is percent-encoded.
std::string EscapeUri(std::string_view path);

}  // namespace anecheck::reports
