// The order that pairs (before, after) put on layers, or a cycle in them.

// Returns { order } where every pair goes forward, smallest layer first, or { cycle }: [2, 4, 2].
export function ordered(layers, pairs) {
  const order = [];
  let left = [...layers].sort((a, b) => a - b);
  while (left.length) {
    const next = left.find((one) => !pairs.some(([before, after]) => after === one && left.includes(before)));
    if (next === undefined) return { cycle: cycle(left, pairs) };
    order.push(next);
    left = left.filter((one) => one !== next);
  }
  return { order };
}

// Each of `left` has one before it that is left as well: going back there meets a cycle.
function cycle(left, pairs) {
  const walk = [left[0]];
  for (;;) {
    const [before] = pairs.find(([one, after]) => after === walk.at(-1) && left.includes(one));
    const met = walk.indexOf(before);
    walk.push(before);
    if (met >= 0) return walk.slice(met).reverse();
  }
}
