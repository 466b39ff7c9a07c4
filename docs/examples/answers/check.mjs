// Checks in exact arithmetic what `featherbed answers PROBLEM --certificates FILE` wrote: node check.mjs FILE
// It shares no code with the search. docs/answers.md has the format, and why the modes cover every case.
import { readFileSync } from 'node:fs'

const { M, J, vFree, added, softness, A, b, groups, corners, unit, tree } = JSON.parse(readFileSync(process.argv[2], 'utf8'))

// a number of the file is n 2^e, exactly; so are sums and products
const number = (x, e = 0) => (Number.isInteger(x) ? { n: BigInt(x), e } : number(2 * x, e - 1))
const add = (a, b) => (a.e > b.e ? add(b, a) : { n: a.n + (b.n << BigInt(b.e - a.e)), e: a.e })
const times = (...factors) => factors.reduce((a, b) => ({ n: a.n * b.n, e: a.e + b.e }))
const sum = (terms) => terms.reduce(add, number(0))
const exact = (rows) => rows.map((row) => row.map((x) => number(x)))
const minus = (a) => a.map((x) => 0 - x)

// D u = W p + r; W = J M⁻¹ Jᵀ + softness by fraction-free elimination (Bareiss 1968)
function system() {
  if (A) return { W: exact(A), r: b.map((x) => number(x)), D: number(1) }
  const [m, j] = [exact(M), exact(J)]
  const least = Math.min(...[...m, ...j].flat().map(({ e }) => e))
  let table = m.map((row, i) => [...row, ...j.map((own) => own[i])].map(({ n, e }) => n << BigInt(e - least)))
  let last = 1n
  for (let k = 0; k < M.length; k++) {
    const own = table[k]
    table = table.map((row, i) => (i === k ? row : row.map((x, c) => (own[k] * x - row[k] * own[c]) / last)))
    last = own[k]
  }
  const D = { n: last, e: 0 }
  const entry = (row, k) => sum(row.map((x, c) => times(x, { n: table[c][M.length + k], e: 0 })))
  const W = j.map((row, i) => j.map((_, k) => add(entry(row, k), i === k ? times(D, number(softness[i])) : number(0))))
  const free = (row) => sum(row.map((x, c) => times(x, number(vFree[c]))))
  return { W, r: j.map((row, i) => times(D, add(free(row), number(added[i])))), D }
}
const { W, r, D } = system()

// modes of a group in the order of the file: impulses offset + amounts >= 0, each <= most, of p; u with a . u >= least tolerances
const within = (a, most) => [
  [a, -most],
  [minus(a), -most],
]
function modes({ kind, limit }) {
  if (kind === 'bilateral') return [{ p: [[1], [-1]], u: within([1], 1) }]
  if (kind === 'unilateral')
    return [
      { p: [], u: [[[1], 1]] },
      { p: [[1]], u: within([1], 1) },
    ]
  const slip = (sign) => ({ p: [], offset: -sign * limit, u: [[[sign], 1]] })
  if (kind === 'bounded') return [{ p: [[1]], offset: -limit, most: 2 * limit, u: within([1], 1) }, slip(1), slip(-1)]
  const d = kind === 'planar' ? [[1], [-1]] : corners
  const push = d.map((x) => [1, ...x.map((c) => limit * c)])
  const along = (x) => [0, ...x]
  const edge = d.map((x, i) => x.map((c, k) => d[(i + 1) % d.length][k] - c))
  const scaled = edge.map((x) => x.map((c) => c * 2 ** Math.round(Math.log2(1 / Math.hypot(...x)))))
  const normal = along(minus(d[0])).map((_, k) => (k === 0 ? 1 : 0))
  const mode = (p, u) => ({ p, u: [...within(normal, 1), ...u] })
  const half = d.slice(0, d.length / 2)
  const slips = d.flatMap((x, i) => {
    if (d.length === 2) return [mode([push[i]], [[along(minus(x)), 1]])]
    const [j, before] = [(i + 1) % d.length, scaled.at(i - 1)]
    const middle = x.map((c, k) => 0 - c - d[j][k])
    const corner = mode(
      [push[i]],
      [
        [along(scaled[i]), 1],
        [along(minus(before)), 1],
      ],
    )
    return [corner, mode([push[i], push[j]], [...within(along(scaled[i]), 1), [along(middle), 1]])]
  })
  const stick = mode(
    push,
    half.flatMap((x) => within(along(x), d.length === 2 ? 1 : 2)),
  )
  return [{ p: [], u: [[normal, 1]] }, stick, ...slips]
}
const all = groups.map(modes)
// a mode not chosen yet: the only one, or all impulses of the group, and no approach
const open = all.map((own, g) => {
  const wide = own.reduce((a, b) => (b.p.length > a.p.length ? b : a))
  if (own.length === 1) return wide
  return { ...wide, u: groups[g].kind === 'bounded' ? [] : [[wide.p[0].map((_, k) => (k === 0 ? 1 : 0)), -1]] }
})
// D a . u of group g: by an impulse p of group h; without impulses but for offsets, less the tolerances
const term = (g, h, i, k) => W[groups[g].first + i][groups[h].first + k]
const moved = (g, a, h, p) => sum(a.flatMap((x, i) => p.map((y, k) => times(number(x), term(g, h, i, k), number(y)))))
const start = (g, a, least, now) => {
  const free = sum(a.map((x, i) => times(number(x), r[groups[g].first + i])))
  return sum([free, ...now.map((m, h) => moved(g, a, h, [m.offset ?? 0])), times(number(-least), number(unit), D)])
}
const count = { proof: 0, amounts: 0, open: 0, wrong: 0 }

function check(node, chosen) {
  const now = chosen.map((m, g) => (m === undefined ? open[g] : all[g][m]))
  if (node.parts) {
    if (chosen[node.group] !== undefined || node.parts.length !== all[node.group].length) count.wrong++
    for (const [m, part] of node.parts.entries()) check(part, chosen.with(node.group, m))
  } else if (node.proof) count[isEmpty(node.proof, now) ? 'proof' : 'wrong']++
  else if (node.amounts) count[!chosen.includes(undefined) && holds(node.amounts, now) ? 'amounts' : 'wrong']++
  else count.open++
}
// y >= 0: the sum of y (a . u - least) is below zero without impulses, and no generator raises it, or one of bounded amount not enough
function isEmpty(proof, now) {
  const y = proof.map(({ amount }) => ({ n: BigInt(amount), e: 0 }))
  const known = proof.every(({ group, a, least }) => now[group].u.some(([own, most]) => most === least && `${a}` === `${own}`))
  const rise = (h, p) => sum(proof.map(({ group, a }, i) => times(y[i], moved(group, a, h, p))))
  const rises = now.flatMap(({ p, most }, h) => p.map((own) => ({ rise: rise(h, own), most }))).filter((one) => one.rise.n > 0n)
  if (!known || y.some(({ n }) => n < 0n) || rises.some(({ most }) => most === undefined)) return false
  const free = proof.map(({ group, a, least }, i) => times(y[i], start(group, a, least, now)))
  return sum([...free, ...rises.map((one) => times(one.rise, number(one.most)))]).n < 0n
}
// amounts of the generators whose velocities meet every condition within twice the tolerance
function holds(amounts, now) {
  const pushes = (g, a) => now.flatMap(({ p }, h) => p.map((own, k) => times(number(amounts[h][k]), moved(g, a, h, own))))
  const meets = ({ u }, g) => u.every(([a, least]) => sum([start(g, a, least - 1, now), ...pushes(g, a)]).n >= 0n)
  const isIn = ({ p, most = Number.POSITIVE_INFINITY }, h) => p.every((_, k) => amounts[h][k] >= 0 && amounts[h][k] <= most)
  return now.every(isIn) && now.every(meets)
}

check(tree, Array(groups.length).fill(undefined))
console.log(`${count.proof} empty modes proved, ${count.amounts} modes with answers, ${count.open} open, ${count.wrong} wrong`)
process.exitCode = count.wrong + count.open > 0 || D.n <= 0n ? 1 : 0
