#include "harness/curves/plot.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "harness/curves/study.h"

namespace anecheck::curves {
namespace {

constexpr double kLeft = 80, kRight = 624;
constexpr int kSamples = 1024;

constexpr std::string_view kStyle =
    "<style>text{font:12px sans-serif;fill:#222}.axis{stroke:#999}.stored{fill:none;stroke:#06c;"
    "stroke-width:1.5}.exact{fill:none;stroke:#b50;stroke-dasharray:5 4}.knot{fill:#06c}"
    ".ground{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#ddd}.axis{stroke:#666}"
    ".stored{stroke:#6bf}.knot{fill:#6bf}.exact{stroke:#fb6}.ground{fill:#111}}</style>\n";

struct Samples {
  std::vector<double> x, y;
};

// A horizontal band of the picture with its own scale.
class Panel {
 public:
  Panel(double top, double bottom, double from, double to, const std::vector<const Samples*>& all)
      : top_(top), bottom_(bottom), from_(from), to_(to) {
    low_ = 0;
    high_ = 0;
    bool first = true;
    for (const Samples* samples : all) {
      for (const double y : samples->y) {
        low_ = first ? y : std::min(low_, y);
        high_ = first ? y : std::max(high_, y);
        first = false;
      }
    }
    if (!(low_ < high_)) high_ = low_ + 1;
  }

  double Across(double x) const { return kLeft + (x - from_) / (to_ - from_) * (kRight - kLeft); }
  double Up(double y) const { return bottom_ - (y - low_) / (high_ - low_) * (bottom_ - top_); }
  bool Holds(double x, double y) const { return x >= from_ && x <= to_ && y >= low_ && y <= high_; }

  std::string Frame() const {
    std::string text;
    for (const double y : {low_, Middle(), high_}) {
      text += fmt::format(
          "<line class=\"axis\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/><text x=\"{}\" "
          "y=\"{:.1f}\" text-anchor=\"end\">{:.3g}</text>\n",
          kLeft, kRight, Up(y), Up(y), kLeft - 6, Up(y) + 4, y);
    }
    for (int i = 0; i <= 4; ++i) {
      const double x = from_ + (to_ - from_) * i / 4;
      text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.4g}</text>\n",
                          Across(x), bottom_ + 16, x);
    }
    return text;
  }

  std::string Line(const Samples& samples, std::string_view style) const {
    std::string points;
    for (size_t i = 0; i < samples.x.size(); ++i) {
      points +=
          fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", Across(samples.x[i]), Up(samples.y[i]));
    }
    return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", style, points);
  }

 private:
  // Returns 0 if 0 lies well inside the range, so that the sign of an error is visible; otherwise
  // the middle of the range.
  double Middle() const {
    const double edge = (high_ - low_) / 5;
    return low_ + edge < 0 && 0 < high_ - edge ? 0 : (low_ + high_) / 2;
  }

  double top_, bottom_, from_, to_;
  double low_, high_;
};

void Add(Samples& samples, double x, double y) {
  if (!std::isfinite(y)) return;
  samples.x.push_back(x);
  samples.y.push_back(y);
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&' || c == '"' || static_cast<unsigned char>(c) < 0x20) {
      escaped += fmt::format("&#{};", static_cast<unsigned char>(c) < 0x20 ? 0xfffd : int{c});
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::string PlotOf(const Curve& curve, double from, double to) {
  Samples stored;
  Samples exact;
  Samples error;
  for (int i = 0; i <= kSamples; ++i) {
    const double x = from + (to - from) * i / kSamples;
    const double argument = HalfToDouble(DoubleToHalf(x));
    const Point point = PointAt(curve, argument);
    Add(stored, x, HalfToDouble(point.stored));
    Add(exact, x, point.exact);
    Add(error, x, HalfToDouble(point.stored) - point.exact);
  }
  const std::string name = Escaped(curve.name);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 480\" role=\"img\" "
      "aria-labelledby=\"title about\">\n<title id=\"title\">{} as the engine computes it</title>\n"
      "<desc id=\"about\">The curve of {} knots from {:.4g} to {:.4g}{}.</desc>\n{}"
      "<rect class=\"ground\" width=\"640\" height=\"480\"/>\n",
      name, curve.knots.size(), from, to,
      curve.exact ? ", the function that it stands for, and below the error of the stored values"
                  : "",
      kStyle);
  Samples knots;
  for (const Knot& knot : curve.knots) {
    const bool inside = curve.argument == "x" && from <= knot.x && knot.x <= to;
    if (inside) Add(knots, knot.x, knot.y);
  }
  const Panel upper(40, curve.exact ? 280 : 440, from, to, {&stored, &exact, &knots});
  svg += fmt::format("<text x=\"{}\" y=\"24\">{}: solid the table, dashed the function</text>\n",
                     kLeft, name);
  svg += upper.Frame() + upper.Line(exact, "exact") + upper.Line(stored, "stored");
  for (size_t i = 0; i < knots.x.size(); ++i) {
    svg += fmt::format("<circle class=\"knot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>\n",
                       upper.Across(knots.x[i]), upper.Up(knots.y[i]));
  }
  if (curve.exact) {
    const Panel lower(330, 440, from, to, {&error});
    svg += fmt::format("<text x=\"{}\" y=\"318\">error of the stored value</text>\n", kLeft);
    svg += lower.Frame() + lower.Line(error, "stored");
  }
  return svg + "</svg>\n";
}

}  // namespace anecheck::curves
