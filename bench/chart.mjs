/** A line chart as SVG, with logarithmic axes. */
const WIDTH = 720;
const HEIGHT = 360;
const LEFT = 64;
const RIGHT = 150;
const TOP = 44;
const BOTTOM = 48;
const COLOURS = ['#2563eb', '#16a34a', '#6b7280', '#dc2626'];

const powers = (from, to) => {
  const first = Math.floor(Math.log10(from));
  const last = Math.ceil(Math.log10(to));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
};
const escape = (text) => text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]);
const round = (n) => Math.round(n * 10) / 10;

/** @param {{title: string, x: string, y: string, series: Map<string, [number, number][]>}} chart */
export function lineChart({ title, x, y, series }) {
  const points = [...series.values()].flat();
  const xs = points.map(([at]) => at);
  const ys = powers(Math.min(...points.map(([, v]) => v)), Math.max(...points.map(([, v]) => v)));
  const [x0, x1] = [Math.log10(Math.min(...xs)), Math.log10(Math.max(...xs))];
  const [y0, y1] = [Math.log10(ys[0]), Math.log10(ys[ys.length - 1])];
  const toX = (v) => round(LEFT + ((Math.log10(v) - x0) / (x1 - x0)) * (WIDTH - LEFT - RIGHT));
  const toY = (v) => round(HEIGHT - BOTTOM - ((Math.log10(v) - y0) / (y1 - y0)) * (HEIGHT - TOP - BOTTOM));
  const grid = ys.map(
    (v) =>
      `<path d="M${LEFT} ${toY(v)}H${WIDTH - RIGHT}" stroke="#d1d5db"/><text x="${LEFT - 8}" y="${toY(v) + 4}" text-anchor="end">${v}</text>`,
  );
  const ticks = [...new Set(xs)].map(
    (v) => `<text x="${toX(v)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${v}</text>`,
  );
  const ends = [...series.values()].map((line) => toY(line[line.length - 1][1]));
  const lines = [...series].map(([name, line], i) => {
    // Move overlapping labels apart.
    const above = ends.filter((end, j) => Math.abs(end - ends[i]) < 14 && j < i).length;
    const path = line.map(([at, v]) => `${toX(at)} ${toY(v)}`).join('L');
    return `<path d="M${path}" fill="none" stroke="${COLOURS[i]}" stroke-width="2"/><text x="${WIDTH - RIGHT + 8}" y="${ends[i] + 4 + above * 14}" fill="${COLOURS[i]}">${escape(name)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="#4b5563">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
<text x="${LEFT}" y="22" font-size="14" fill="#111827">${escape(title)}</text>
<text x="${LEFT}" y="${TOP - 6}">${escape(y)}</text>
<text x="${WIDTH - RIGHT}" y="${HEIGHT - 10}" text-anchor="end">${escape(x)}</text>
${[...grid, ...ticks, ...lines].join('\n')}
</svg>
`;
}
