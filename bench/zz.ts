import { readFileSync } from 'node:fs'
import { openSandbox } from '../control/sandbox/host.ts'
const guest = readFileSync('/tmp/h44/g/guest.js','utf8')
for (const [name, use] of [['plain',''],['dynamics',"featherbed.modules['featherbed/dynamics']()"],['all',"Object.values(featherbed.modules).forEach(f=>f())"]] as const) {
  const t0=performance.now()
  const code = `${guest}\n${use}\nexport const guest = featherbed.serve({default:{init(){return 1},update(){return 1}}})`
  const c = await openSandbox('x.ts', { code, name:'x', locate: () => undefined, print: console.log }, { patience: 5, memory: 1e9 })
  console.log(name, performance.now()-t0, c.rate, process.memoryUsage.rss()/1e6)
}
