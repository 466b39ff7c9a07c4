import type { Settings } from '../panel/settings.ts'

/** A scene in which contact laws part within three seconds. Its figures are those of `test/front.test.ts`. */
export interface FrontScene {
  readonly name: string
  readonly title: string
  readonly robot: string
  readonly settings: Partial<Pick<Settings, 'controller' | 'friction'>> & Pick<Settings, 'models' | 'dt'>
  /** Outcome and cause, in three sentences or fewer; names of models stand in asterisks. */
  readonly outcome: string
}

export const frontScenes: readonly FrontScene[] = [
  {
    name: 'bend',
    title: 'Trot round a bend',
    robot: 'quadruped',
    settings: {
      controller: 'trot round a bend',
      friction: 0.27,
      models: ['penalty', 'stewart-trinkle', 'ncp'],
      dt: 0.005,
    },
    outcome:
      'On a slippery floor *stewart-trinkle* falls at 1.1 s: its friction cone has four flat sides. With six sides it trots on, as under the round cone of *ncp*. *penalty* trots on too, but its springs let the feet sink in by 10 mm.',
  },
  {
    name: 'grip',
    title: 'Grip and lift',
    robot: 'scene: grip',
    settings: { models: ['penalty-deepest', 'mujoco', 'ncp'], dt: 0.005 },
    outcome:
      'The gripper lifts a bar beside its middle. *penalty-deepest* has one contact point a pad, and the bar swings down. *mujoco* has soft friction: within 3 s the bar slips by 18 mm. *ncp* holds it.',
  },
  {
    name: 'cards',
    title: 'Two cards',
    robot: 'scene: cards',
    settings: { models: ['penalty', 'mujoco', 'ncp'], dt: 0.005 },
    outcome:
      'Two cards lean on each other. By statics they stand while friction is above 0.172; here it is 0.2. *penalty* pushes along faces alone, which two edges do not have: the cards lie flat within 1 s.',
  },
  {
    name: 'kick',
    title: 'A kicked box',
    robot: 'scene: kick',
    settings: { models: ['penalty', 'convex', 'ncp'], dt: 0.005 },
    outcome:
      'A box starts to slide at 5 m/s. *convex* throws it up by 30 cm: its law ties the speed of sliding to one of lifting, at every time step. By Coulomb it slides 1.6 m on the ground, as under the other two.',
  },
  {
    name: 'bounce',
    title: 'A bouncing ball',
    robot: 'scene: bounce',
    settings: { models: ['hunt-crossley', 'mujoco', 'ncp'], dt: 0.005 },
    outcome:
      'The ball has a restitution of 0.8 and falls from 90 cm. *ncp* brings it back to 58 cm, as the closed form does. *mujoco* has no restitution, and for *hunt-crossley* the step of 5 ms is too long.',
  },
  {
    name: 'brake',
    title: 'Brake on a wet strip',
    robot: 'scene: brake',
    settings: { models: ['convex', 'mujoco', 'ncp'], dt: 0.005 },
    outcome:
      'The left wheel locks on a wet strip, the right one on dry ground. The humanoid turns by 33° under *ncp*, by 23° under *convex* and by 17° under *mujoco*: three answers to one question, of which the lcp and spring models confirm the first.',
  },
]
