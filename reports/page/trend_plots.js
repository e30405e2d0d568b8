// Plots of the page of trends. Each is an SVG picture with a table of the same figures beside it.

const PLOT = {width: 400, height: 190, left: 56, right: 20, top: 8, bottom: 30};

function dataTable(columns, rows) {
  const cell = (value) => typeof value === "number"
    ? make("td", {class: "number"}, Number.isInteger(value) ? count(value) : value.toPrecision(3))
    : make("td", {}, value);
  return make("details", {}, make("summary", {}, "as a table"),
    make("div", {class: "scroll"}, make("table", {},
      make("thead", {}, make("tr", {}, ...columns.map(
        (name) => make("th", {scope: "col"}, name)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell)))))));
}

function mark(series, x, y) {
  const shared = {class: `mark series-${series % 4}`};
  if (series % 4 === 0) return svgNode("circle", {...shared, cx: x, cy: y, r: 3});
  const shapes = [[], [[-3, -3], [3, -3], [3, 3], [-3, 3]], [[0, -4], [4, 3], [-4, 3]],
                  [[0, -4], [4, 0], [0, 4], [-4, 0]]];
  return svgNode("polygon", {...shared,
    points: shapes[series % 4].map(([dx, dy]) => `${x + dx},${y + dy}`).join(" ")});
}

function seriesKey(names) {
  return make("ul", {class: "key"}, ...names.map((name, index) => {
    const sample = svgNode("svg", {viewBox: "0 0 34 12", "aria-hidden": "true"});
    sample.append(svgNode("path", {class: `series-${index % 4}`, d: "M1 6H33"}), mark(index, 17, 6));
    return make("li", {}, sample, name);
  }));
}

// Lines over [x, y] points; `xs` are the ticks of the axis and `xName` writes their labels; `yTop` is
// the largest value shown; `place` returns the position of a point as a fraction of the width.
function drawLines(series, xs, xName, yTop, yName,
                   place = (x) => xs.length < 2 ? 0.5 : xs.indexOf(x) / (xs.length - 1)) {
  const {width, height, left, right, top, bottom} = PLOT;
  const svg = svgNode("svg", {viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"});
  // Room for the marks at both ends.
  const across = (x) => left + 6 + place(x) * (width - left - right - 12);
  const up = (y) => height - bottom - (yTop > 0 ? y / yTop : 0) * (height - top - bottom);
  for (const part of [0, 0.5, 1]) {
    const y = up(part * yTop);
    svg.append(svgNode("line", {x1: left, x2: width - right, y1: y, y2: y}),
               svgNode("text", {x: left - 4, y: y + 3, "text-anchor": "end"}, yName(part * yTop)));
  }
  const every = Math.ceil(xs.length / 8);
  xs.forEach((x, index) => {
    if (index % every !== 0) return;
    svg.append(svgNode("text", {x: across(x), y: height - bottom + 12, "text-anchor": "middle"},
                       xName(x)));
  });
  series.forEach((points, index) => {
    const path = points.map(([x, y], at) => `${at === 0 ? "M" : "L"}${across(x)} ${up(y)}`).join("");
    svg.append(svgNode("path", {class: `series-${index % 4}`, d: path}));
    for (const [x, y] of points) {
      const dot = mark(index, across(x), up(y));
      dot.append(svgNode("title", {}, `${xName(x)}: ${yName(y)}`));
      svg.append(dot);
    }
  });
  return svg;
}

// Shares in [0, 1], one column of cells for each run. The darkness is the fourth root of the share, so
// that a share of one in a thousand is still visible.
function drawHeat(columns, columnName, rowName) {
  const {width, left, right, top} = PLOT;
  const rows = columns[0].length;
  const tall = 11, height = top + rows * tall + 18;
  const svg = svgNode("svg", {viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"});
  const slot = (width - left - right) / columns.length;
  columns.forEach((shares, column) => {
    shares.forEach((share, row) => {
      if (share <= 0) return;
      const cell = svgNode("rect", {class: "heat", x: left + column * slot,
        y: top + (rows - 1 - row) * tall, width: Math.max(1, slot - 1), height: tall - 1,
        "fill-opacity": Math.max(0.08, share ** 0.25).toFixed(3)});
      cell.append(svgNode("title", {},
        `${columnName(column)}, ${rowName(row)} ulp: ${(100 * share).toPrecision(3)} %`));
      svg.append(cell);
    });
    if (column % Math.ceil(columns.length / 8) === 0) {
      svg.append(svgNode("text", {x: left + (column + 0.5) * slot, y: height - 5,
                                  "text-anchor": "middle"}, columnName(column)));
    }
  });
  for (let row = 0; row < rows; ++row) {
    // A row is lower than a letter, so only every second row has a label.
    if (row === rows - 1 || (row % 2 === 0 && row < rows - 2)) {
      svg.append(svgNode("text", {x: left - 4, y: top + (rows - 1 - row) * tall + 8,
                                  "text-anchor": "end"},
                         bucketMark(row, rows - 1)));
    }
  }
  svg.append(svgNode("rect", {class: "frame", x: left, y: top, width: width - left - right,
                              height: rows * tall}));
  return svg;
}

// The errors of a tensor as a grid of cells.
function drawMap(map) {
  const side = Math.max(map.rows, map.columns) > 16 ? 10 : 18;
  const svg = svgNode("svg", {viewBox: `0 0 ${map.columns * side + 2} ${map.rows * side + 2}`,
                              role: "img", "aria-label": `error map of ${map.output}`});
  const most = Math.max(1, ...map.ulp);
  map.ulp.forEach((ulp, index) => {
    const x = 1 + index % map.columns * side, y = 1 + Math.floor(index / map.columns) * side;
    const share = ulp < 0 ? 1 : Math.log2(1 + ulp) / Math.log2(1 + most);
    if (share > 0) {
      const cell = svgNode("rect", {class: "heat", x, y, width: side - 1, height: side - 1,
                                    "fill-opacity": (0.15 + 0.6 * share).toFixed(3)});
      cell.append(svgNode("title", {}, ulp < 0 ? "not a number, or too large to count"
                                                : counted(ulp, "unit")));
      svg.append(cell);
    }
    if (map.is_outside[index]) {
      const a = side * 0.25, b = side * 0.75;
      svg.append(svgNode("path", {class: "cross",
        d: `M${x + a} ${y + a}L${x + b} ${y + b}M${x + b} ${y + a}L${x + a} ${y + b}`}));
    }
  });
  svg.append(svgNode("rect", {class: "frame", x: 0.5, y: 0.5, width: map.columns * side + 1,
                              height: map.rows * side + 1}));
  return svg;
}
