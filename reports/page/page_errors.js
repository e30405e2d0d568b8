// Error histograms, one for each operation: bucket 0 is exact, then 1, 2, 3-4, 5-8 ... ulp.
const SVG = "http://www.w3.org/2000/svg";

function svgNode(tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.append(text);
  return node;
}

function bucketName(bucket, last) {
  if (bucket < 3) return String(bucket);
  const low = 2 ** (bucket - 2) + 1;
  return bucket === last ? `${count(low)} or more, or not a number`
                         : `${count(low)} to ${count(2 ** (bucket - 1))}`;
}

// The upper end of a bucket, short enough to fit below its bar: 0, 1, 2, 4, 8 ...
function bucketMark(bucket, last) {
  if (bucket === last) return "more";
  return bucket < 3 ? String(bucket) : shortCount(2 ** (bucket - 1));
}

// 512, 16k, 1M.
function shortCount(number) {
  const units = ["", "k", "M", "G", "T", "P"];
  let unit = 0;
  for (; number >= 1000 && unit + 1 < units.length; ++unit) number /= 1000;
  return Math.round(number) + units[unit];
}

// Bars of the number of elements by error in ulp, on a logarithmic scale.
function drawBars(buckets) {
  const width = 400, height = 180, left = 44, right = 16, top = 22, floor = 140;
  const last = buckets.length - 1;
  const decades = Math.max(1, Math.ceil(Math.log10(Math.max(...buckets))));
  const slot = (width - left - right) / buckets.length;
  const up = (number) => floor - (floor - top) * Math.log10(1 + number) / Math.log10(1 + 10 ** decades);
  const svg = svgNode("svg", {viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"});
  const write = (x, y, anchor, text) => svg.append(svgNode("text", {x, y, "text-anchor": anchor}, text));
  const addLine = (number, text) => {
    svg.append(svgNode("line", {x1: left, x2: width - right, y1: up(number), y2: up(number)}));
    write(left - 5, up(number) + 4, "end", text);
  };
  addLine(0, "0");
  // On a long axis, 1 is too near to 0 to have a line.
  const least = decades > 2 ? 1 : 0;
  for (let decade = decades; decade >= least; decade -= Math.floor(decades / 5) + 1) {
    addLine(10 ** decade, shortCount(10 ** decade));
  }
  buckets.forEach((elements, bucket) => {
    const x = left + bucket * slot;
    if (elements > 0) {
      const bar = svgNode("rect", {x: x + slot / 10, y: up(elements), width: slot * 0.8,
                                   height: floor - up(elements)});
      bar.append(svgNode("title", {}, `${bucketName(bucket, last)} ulp: ${counted(elements, "element")}`));
      svg.append(bar);
    }
    const every = Math.ceil(34 / slot);
    if (bucket === last || (bucket % every === 0 && last - bucket >= every)) {
      write(x + slot / 2, floor + 15, "middle", bucketMark(bucket, last));
    }
  });
  write(0, 12, "start", "elements");
  write((left + width - right) / 2, height - 6, "middle", "error in ulp");
  return svg;
}

function bucketTable(buckets) {
  const last = buckets.length - 1;
  const rows = [];
  buckets.forEach((elements, bucket) => {
    if (elements > 0) {
      rows.push(make("tr", {}, make("td", {}, bucketName(bucket, last)),
                     make("td", {class: "number"}, count(elements))));
    }
  });
  return make("details", {}, make("summary", {}, "as a table"), make("table", {},
    make("thead", {}, make("tr", {}, make("th", {scope: "col"}, "ulp"),
                           make("th", {scope: "col", class: "number"}, "elements"))),
    make("tbody", {}, ...rows)));
}

// The share of bounds that admit one value, and the median and largest width.
function widthText(widths) {
  const total = widths.reduce((a, b) => a + b, 0);
  if (total === 0) return "widths of bounds are not recorded";
  const last = widths.length - 1;
  let median = 0;
  for (let seen = widths[0]; 2 * seen < total; seen += widths[median]) ++median;
  const largest = widths.findLastIndex((elements) => elements > 0);
  return `bounds: one value for ${(100 * widths[0] / total).toFixed(1)} %, ` +
    `median ${bucketName(median, last)} ulp, largest ${bucketName(largest, last)} ulp`;
}

function drawErrors() {
  const sums = new Map();
  for (const item of report.histograms) {
    if (filters.target && item.target !== filters.target) continue;
    if (filters.evidence && item.provenance !== filters.evidence) continue;
    if (!matchesSearch(item.op)) continue;
    const sum = sums.get(item.op) ?? {buckets: item.buckets.map(() => 0), widths: item.buckets.map(() => 0), evidence: new Set()};
    item.buckets.forEach((elements, bucket) => { sum.buckets[bucket] += elements; });
    item.widths?.forEach((elements, bucket) => { sum.widths[bucket] += elements; });
    sum.evidence.add(item.provenance);
    sums.set(item.op, sum);
  }
  const figures = [...sums].map(([op, sum]) => {
    const total = sum.buckets.reduce((a, b) => a + b, 0);
    const exact = total > 0 ? (100 * sum.buckets[0] / total).toFixed(1) : "0.0";
    const evidence = [...sum.evidence].map((name) => name === "simulated" ? "SIMULATED" : name);
    return make("figure", {}, make("figcaption", {}, make("span", {class: "op"}, op || "(none)"),
        make("span", {}, `${counted(total, "element")}, ${exact} % exact, ${evidence.join(", ")}`),
        make("span", {}, widthText(sum.widths))),
      drawBars(sum.buckets), bucketTable(sum.buckets));
  });
  byId("histograms").replaceChildren(...figures);
  document.body.dataset.histograms = figures.length;
}
