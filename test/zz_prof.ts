import { loadOwnRobot } from '/work/main/robots/files.ts'
import { World } from '/work/main/simulation/index.ts'
const [, , name, model, steps, opts] = process.argv
const robot = loadOwnRobot(name as any)
const world = new World({ robot, contactModel: model, dt: 1e-3, contactOptions: opts ? JSON.parse(opts) : undefined })
for (let n = 0; n < 2000; n++) world.step()
const N = Number(steps)
let best = Infinity
for (let r = 0; r < 10; r++) { const t = process.cpuUsage(); for (let n = 0; n < N / 10; n++) world.step(); const u = process.cpuUsage(t); best = Math.min(best, (u.user + u.system) / 1000 / (N / 10)) }
console.log(name, model, (best * 1000).toFixed(2), 'us', world.contacts.count, JSON.stringify(world.events))
