import { createControllerLoop, hold } from '../control/index.ts'
import { World } from '../simulation/index.ts'
import { robotOf } from '../bench/subjects.ts'
const [, , name, model, steps, opts] = process.argv
const robot = await robotOf(name)
const dt = 1e-3
const efforts = new World({ robot, contactModel: 'penalty', dt, controller: createControllerLoop(hold(), robot) })
efforts.step()
const w = new World({ robot, contactModel: model, dt, contactOptions: opts ? JSON.parse(opts) : undefined }); w.tau.set(efforts.tau)
const start = w.checkpoint()
let best = Infinity
for (let r = 0; r < Number(steps) / 150; r++) { w.restore(start); const t = process.cpuUsage(); for (let n = 0; n < 150; n++) w.step(); const u = process.cpuUsage(t); best = Math.min(best, (u.user + u.system) / 1000 / 150) }
console.log(name, model, (best * 1000).toFixed(2), 'us', w.contacts.count, JSON.stringify(w.events))
