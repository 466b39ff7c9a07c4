// Checks the file of `featherbed answers PROBLEM --certificates FILE` in exact arithmetic: node check.mjs FILE
// It shares no code with the search. docs/answers.md has the format, and why the modes cover every case.
import { readFileSync } from 'node:fs'

const { problem, directions, scale, tolerance, tree } = JSON.parse(readFileSync(process.argv[2], 'utf8'))

// numbers n 2^e, exactly those of the file
const from = (x) => {
  let e = 0
  while (!Number.isInteger(x)) [x, e] = [2 * x, e - 1]
  return { n: BigInt(x), e }
}
const add = (a, b) => (a.e > b.e ? add(b, a) : { n: a.n + (b.n << BigInt(b.e - a.e)), e: a.e })
const mul = (a, b) => ({ n: a.n * b.n, e: a.e + b.e })
const sum = (terms) => terms.reduce(add, { n: 0n, e: 0 })
const dot = (a, b) => sum(a.map((x, i) => mul(x, b[i])))

// groups of rows, as { size, kind, limit, planar }
const contact = problem.kind === 'contact'
const rows = contact ? [...problem.J.map((J) => ({ J })), ...(problem.rows ?? [])] : problem.A.map((J) => ({ J }))
const groups = contact
  ? [
      ...problem.mu.map((mu, c) => ({ at: 3 * c, size: mu > 0 ? 3 : 1, kind: mu > 0 ? 'friction' : 'unilateral', limit: mu })),
      ...(problem.rows ?? []).map(({ kind, limit }, k) => ({ at: problem.J.length + k, size: 1, kind, limit })),
    ]
  : problem.b.map((_, i) => ({ at: i, size: 1, kind: problem.free?.includes(i) ? 'bilateral' : 'unilateral' }))
let size = 0
for (const group of groups) [group.first, size] = [size, size + group.size]
const used = groups.flatMap((g) => Array.from({ length: g.size }, (_, k) => g.at + k))

// u = (W p + r) / D: with M W = ... solved by fraction-free elimination (Bareiss)
function system() {
  if (!contact) return { W: problem.A.map((row) => row.map(from)), r: problem.b.map(from), D: from(1) }
  const { M, J, vFree, gap, dt, allowed, addedSlip, softness } = problem
  const all = used.map((i) => rows[i].J.map(from))
  const least = Math.min(0, ...[...M.flat().map(from), ...all.flat()].map((x) => x.e))
  const whole = (x) => x.n << BigInt(x.e - least)
  const table = M.map((row, i) => [...row.map((x) => whole(from(x))), ...all.map((row) => whole(row[i]))])
  let last = 1n
  for (let k = 0; k < M.length; k++) {
    for (let i = 0; i < M.length; i++)
      if (i !== k) table[i] = table[i].map((x, j) => (table[k][k] * x - table[i][k] * table[k][j]) / last)
    last = table[k][k]
  }
  const D = { n: last, e: 0 }
  const soft = (i) => mul(D, from(softness?.[used[i]] ?? 0))
  const W = all.map((a, i) => all.map((_, j) => add(dot(a, table.map((row) => ({ n: row[M.length + j], e: 0 }))), i === j ? soft(i) : from(0))))
  const shift = (i) => {
    const c = Math.floor(i / 3)
    if (i >= J.length) return problem.rows[i - J.length].added
    return i % 3 === 0 ? (allowed?.[c] ?? gap[c] / dt) : (addedSlip?.[c]?.[(i % 3) - 1] ?? 0)
  }
  return { W, r: all.map((a, i) => mul(D, add(dot(a, vFree.map(from)), from(shift(used[i]))))), D }
}
const { W, r, D } = system()

// the modes of a group, in the order of the file, as { generators, offset, most, conditions: [a, least] }: a . u >= least tolerances
function modes({ kind, limit, at }) {
  const touch = [[[1], -1], [[-1], -1]]
  if (kind === 'bilateral') return [{ generators: [[1], [-1]], conditions: touch }]
  if (kind === 'bounded') {
    const stick = { generators: [[1]], offset: -limit, most: 2 * limit, conditions: touch }
    return [stick, { generators: [], offset: -limit, conditions: [[[1], 1]] }, { generators: [], offset: limit, conditions: [[[-1], 1]] }]
  }
  if (kind === 'unilateral') return [{ generators: [], conditions: [[[1], 1]] }, { generators: [[1]], conditions: touch }]
  const d = rows[at + 2].J.every((x) => x === 0) ? [[1], [-1]] : directions
  const [n, minus] = [d.length, (a) => a.map((x) => 0 - x)]
  const push = d.map((x) => [1, ...x.map((c) => limit * c)])
  const wide = d[0].map(() => 0)
  const within = (a, most) => [[[0, ...a], -most], [[0, ...minus(a)], -most]]
  const closed = [[[1, ...wide], -1], [[-1, ...wide], -1]]
  const edge = d.map((x, i) => {
    const step = x.map((c, k) => d[(i + 1) % n][k] - c)
    return step.map((c) => c * 2 ** Math.round(Math.log2(1 / Math.hypot(...step))))
  })
  const stick = { generators: push, conditions: [...closed, ...d.slice(0, n / 2).flatMap((x) => within(x, n === 2 ? 1 : 2))] }
  const slip = d.flatMap((x, i) => {
    if (n === 2) return [{ generators: [push[i]], conditions: [...closed, [[0, ...minus(x)], 1]] }]
    const j = (i + 1) % n
    return [
      { generators: [push[i]], conditions: [...closed, [[0, ...edge[i]], 1], [[0, ...minus(edge[(i + n - 1) % n])], 1]] },
      { generators: [push[i], push[j]], conditions: [...closed, ...within(edge[i], 1), [[0, ...x.map((c, k) => 0 - c - d[j][k])], 1]] },
    ]
  })
  return [{ generators: [], conditions: [[[1, ...wide], 1]] }, stick, ...slip]
}
const all = groups.map(modes)
// a mode not chosen yet: all impulses of the group, and no approach; of a bilateral group its only mode
const open = all.map((own, g) => {
  const wide = own.reduce((a, b) => (b.generators.length > a.generators.length ? b : a))
  const normal = wide.generators[0].map((_, k) => (k === 0 ? 1 : 0))
  const conditions = { bilateral: wide.conditions, bounded: [] }[groups[g].kind] ?? [[normal, -1]]
  return { ...wide, conditions }
})
// D a . u of group g: by an impulse p of group h; without impulses but for offsets
const moved = (g, a, h, p) => sum(a.flatMap((x, i) => p.map((y, k) => mul(mul(from(x), W[groups[g].first + i][groups[h].first + k]), from(y)))))
const free = (g, a, now) => sum([...a.map((x, i) => mul(from(x), r[groups[g].first + i])), ...now.map((m, h) => moved(g, a, h, [m.offset ?? 0]))])
const unit = mul(mul(from(scale), from(tolerance)), D)
const count = { proof: 0, impulses: 0, open: 0, wrong: 0 }

function check(node, chosen) {
  const now = chosen.map((m, g) => (m === undefined ? open[g] : all[g][m]))
  if (node.parts) {
    if (chosen[node.group] !== undefined || node.parts.length !== all[node.group].length) count.wrong++
    node.parts.forEach((part, m) => check(part, chosen.with(node.group, m)))
  } else if (node.proof) count[isEmpty(node.proof, now) ? 'proof' : 'wrong']++
  else if (node.impulses) count[!chosen.includes(undefined) && holds(node.impulses, now) ? 'impulses' : 'wrong']++
  else count.open++
}
// y >= 0 with sum of y (a . u - least) < 0 without impulses, and no generator raises it, or one of bounded amount not enough
function isEmpty(proof, now) {
  const y = proof.map(({ amount }) => ({ n: BigInt(amount), e: 0 }))
  const known = proof.every(({ group, a, least }) => now[group].conditions.some(([b, c]) => c === least && `${a}` === `${b}`))
  const start = proof.map(({ group, a, least }, i) => mul(y[i], add(free(group, a, now), mul(from(-least), unit))))
  const rises = now.flatMap(({ generators, most = Infinity }, h) => generators.map((p) => [sum(proof.map(({ group, a }, i) => mul(y[i], moved(group, a, h, p)))), most]))
  const up = rises.filter(([rise]) => rise.n > 0n)
  return known && y.every(({ n }) => n >= 0n) && up.every(([, most]) => most < Infinity) && sum([...start, ...up.map(([rise, most]) => mul(rise, from(most)))]).n < 0n
}
// amounts of the generators whose velocities meet every condition within twice the tolerance
const holds = (amounts, now) =>
  now.every(({ generators, most = Infinity, conditions }, g) =>
    amounts[g].length === generators.length && amounts[g].every((x) => x >= 0 && x <= most) &&
    conditions.every(([a, least]) => {
      const pushed = amounts.flatMap((own, h) => own.map((x, k) => mul(from(x), moved(g, a, h, now[h].generators[k]))))
      return sum([free(g, a, now), ...pushed, mul(from(1 - least), unit)]).n >= 0n
    }))

check(tree, groups.map(() => undefined))
console.log(`${count.proof} empty modes proved, ${count.impulses} modes with answers, ${count.open} open, ${count.wrong} wrong`)
process.exitCode = count.wrong + count.open > 0 || D.n <= 0n ? 1 : 0
