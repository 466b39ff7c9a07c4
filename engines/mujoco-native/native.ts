import type { EngineScene } from '../engine.ts'
import { mjcfOf } from '../mujoco/model.ts'
import { defaults, extrasOf, lacksOf, manual, type Settings } from '../mujoco/scene.ts'
import { givenBodies } from '../prescribed.ts'
import { pythonAdapters, type Variant } from '../python/pythonEngine.ts'

const variant = (name: string, settings: string, how: Settings): Variant => [
  name,
  settings,
  (scene: EngineScene) => ({
    mjcf: scene.file === undefined ? mjcfOf(scene.world.model, extrasOf(scene.world, givenBodies(scene), how)) : '',
    lacks: scene.file === undefined ? lacksOf(scene.world, how) : [],
  }),
]

/** solref 0.005 is in the range of its table, 0.004 to 0.01; MuJoCo takes 2 dt where that is more. */
const tuned = (integrator: string): Settings => ({
  option: `integrator="${integrator}" cone="elliptic" impratio="10"`,
  tolerance: 1e-10,
  restitution: false,
  solref: '0.005 1',
})

/** MuJoCo in C, with the MJCF that MuJoCo of npm has too: pairs of it have their own surfaces. */
export const adapters = pythonAdapters('mujoco-native', { friction: 'none', restitution: 'none' }, [
  variant('MuJoCo native', ...defaults),
  variant('MuJoCo native, manual', ...manual),
  variant(
    'MuJoCo native, tuned',
    'as the manual of 4.0.0 says (Modeling, Model tuning, Tuning defaults): implicitfast, elliptic cones, impratio 10, solref 0.005 1; tolerance 1e-10',
    tuned('implicitfast'),
  ),
  variant(
    'MuJoCo native, discrete',
    'the same with the integrator discrete, which the manual of 4.0.0 has on trial to be recommended',
    tuned('discrete'),
  ),
])
