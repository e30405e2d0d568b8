// Error histograms, one an operation: bucket 0 is exact, then 1, 2, 3-4, 5-8 ... ulp.
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

// Axis marks that fit below a bar: 0, 1, 2, 4, 8 ... (the upper end of the bucket).
function bucketMark(bucket, last) {
  if (bucket === last) return "more";
  if (bucket === last - 1) return "";
  return bucket < 3 ? String(bucket) : bucket % 2 === 1 ? String(2 ** (bucket - 1)) : "";
}

function drawBars(buckets) {
  const width = 340, height = 120, left = 6, bottom = 16;
  const last = buckets.length - 1;
  const top = Math.log10(Math.max(...buckets) + 1);
  const slot = (width - 2 * left) / buckets.length;
  const svg = svgNode("svg", {viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"});
  buckets.forEach((elements, bucket) => {
    const x = left + bucket * slot;
    if (elements > 0) {
      const tall = Math.max(2, Math.log10(elements + 1) / top * (height - bottom - 6));
      const bar = svgNode("rect", {x: x + 1, y: height - bottom - tall, width: slot - 2,
                                   height: tall});
      bar.append(svgNode("title", {}, `${bucketName(bucket, last)} ulp: ${count(elements)} elements`));
      svg.append(bar);
    }
    const mark = bucketMark(bucket, last);
    if (mark) {
      svg.append(svgNode("text", {x: x + slot / 2, y: height - 4, "text-anchor": "middle"}, mark));
    }
  });
  svg.append(svgNode("line", {x1: left, x2: width - left, y1: height - bottom, y2: height - bottom}));
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

function drawErrors() {
  const sums = new Map();
  for (const item of report.histograms) {
    if (filters.target && item.target !== filters.target) continue;
    if (filters.evidence && item.provenance !== filters.evidence) continue;
    if (!matchesSearch(item.op)) continue;
    const sum = sums.get(item.op) ?? {buckets: item.buckets.map(() => 0), evidence: new Set()};
    item.buckets.forEach((elements, bucket) => { sum.buckets[bucket] += elements; });
    sum.evidence.add(item.provenance);
    sums.set(item.op, sum);
  }
  const figures = [...sums].map(([op, sum]) => {
    const total = sum.buckets.reduce((a, b) => a + b, 0);
    const exact = total > 0 ? (100 * sum.buckets[0] / total).toFixed(1) : "0.0";
    const evidence = [...sum.evidence].map((name) => name === "simulated" ? "SIMULATED" : name);
    return make("figure", {}, make("figcaption", {}, make("span", {class: "op"}, op || "(none)"),
        make("span", {}, `${count(total)} elements, ${exact} % exact, ${evidence.join(", ")}`)),
      drawBars(sum.buckets), bucketTable(sum.buckets));
  });
  byId("histograms").replaceChildren(...figures);
  document.body.dataset.histograms = figures.length;
}
