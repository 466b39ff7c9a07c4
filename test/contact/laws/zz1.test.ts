import { lotstedtLaws } from './accelerationLevel.ts'
import { createSuite } from './law.ts'
import { collisionLaws } from './collisions.ts'
import { convergenceLaws } from './convergence.ts'
import { groundLaws } from './grounds.ts'
import { restLaws } from './rest.ts'
import { rockingLaws } from './rocking.ts'
import { stackLaws } from './stacks.ts'
import { loadLaws } from './loads.ts'
const s = createSuite('lotstedt', lotstedtLaws, true)
for (const l of [collisionLaws, convergenceLaws, groundLaws, restLaws, rockingLaws, loadLaws, stackLaws]) l(s)
