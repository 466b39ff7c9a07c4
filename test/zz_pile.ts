import { box, makeWorld } from './contact/laws/scenes.ts'
const [, , model, count, opts] = process.argv
const n = Number(count)
const robots = []
for (let k = 0; k < n; k++) {
  const layer = Math.floor(k / 9)
  const i = k % 9
  robots.push({ robot: box([0.2, 0.2, 0.2], 1 + (k % 5)), q: [0.15 * (i % 3) * 1.2 + 0.05 * layer, 0.18 * Math.floor(i / 3) * 1.2, 0.1 + 0.201 * layer, 0, 0, 0, 1] })
}
const world = makeWorld({ robots, model, options: opts ? JSON.parse(opts) : undefined } as never)
for (let r = 0; r < 6; r++) {
  const t = process.cpuUsage()
  for (let s = 0; s < 25; s++) world.step()
  const u = process.cpuUsage(t)
  console.log(model, n, 'contacts', world.contacts.count, ((u.user + u.system) / 25000).toFixed(2), 'ms', JSON.stringify(world.events.solvers), world.events.failures, world.events.fallbacks)
}
