import foxglove from '@foxglove/schemas/jsonschema.js'

/** JSON schemas of a recording's data: Foxglove's own where they fit, else those below. */

const number = (description: string) => ({ type: 'number', description }) as const
const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const
const text = (description: string) => ({ type: 'string', description }) as const
const numbers = (description: string) => ({ type: 'array', items: { type: 'number' }, description }) as const
const vector = (description: string) =>
  ({
    type: 'object',
    description,
    properties: { x: { type: 'number' }, y: { type: 'number' }, z: { type: 'number' } },
    required: ['x', 'y', 'z'],
  }) as const

function object(title: string, description: string, properties: Readonly<Record<string, object>>) {
  return { title, description, type: 'object', properties, required: Object.keys(properties) }
}

const step = count('Steps completed')
const t = number('Simulated time: step dt [s]')

const state = object('featherbed.State', 'State of one robot after a step, and the efforts that acted over that step', {
  step,
  t,
  q: numbers("Coordinates [m, rad]; the channel's metadata names them. Quaternions are x, y, z, w"),
  v: numbers(
    "Velocities [rad/s, m/s]; the channel's metadata names them. Those of a base are in the base's own axes, angular first",
  ),
  tau: numbers('Motor efforts over the step that ended at t, in the order of v [N m, N]'),
})

const contact = object('featherbed.Contact', 'One contact point', {
  linkA: text("Link that body A's shape is on; 'world' for what is fixed"),
  shapeA: text('Collision shape of A'),
  linkB: text("Link that body B's shape is on"),
  shapeB: text('Collision shape of B'),
  pair: count('Number of the pair of shapes'),
  feature: { type: 'integer', description: 'Which point of the pair it is: the same from step to step' },
  point: vector('Midway between both surfaces [m]'),
  normal: vector('Unit normal from A to B'),
  gap: number('Distance along the normal, negative when penetrating [m]'),
  force: vector('Mean force on B at the point over the step, without impacts: (impulse - impact) / dt [N]'),
  impulse: vector('All that B received at the point over the step [N s]'),
  impact: vector('The part of the impulse that came as an impact [N s]'),
  moment: vector('What torsional friction, rolling resistance and friction beside the point gave B over the step [N m s]'),
})

const contacts = object(
  'featherbed.Contacts',
  'Contacts of the step that ended at t: detected at its start, with what acted over it. World axes; A received the opposite',
  {
    step,
    t,
    detectedAt: number('Time of the points, normals and gaps: the start of the step [s]'),
    frameId: text('Axes of all vectors and origin of all points: world'),
    contacts: { type: 'array', items: contact },
  },
)

const energy = object('featherbed.Energy', 'Mechanical energy of the whole world at t, from kinematics of its own', {
  step,
  t,
  kinetic: number('With rotors [J]'),
  potential: number("In the field of gravity, 0 with every mass at the world's origin [J]"),
  total: number('Sum of both [J]'),
})

const solver = object('featherbed.Solver', 'What the contact solver did since the frame before', {
  step,
  t,
  iterations: { type: 'integer', description: 'Pivots, sweeps or passes since the frame before' },
  failures: { type: 'integer', description: 'Steps since the frame before that ended without a valid answer' },
  fallbacks: { type: 'integer', description: 'Steps since the frame before in which a declared fallback gave the answer' },
  residualMax: number('Largest residual of an accepted answer in the run so far'),
})

const channels = object(
  'featherbed.Channels',
  "What controllers wrote into their channels at their last tick, by the channel's name",
  {
    step,
    t,
    values: { type: 'object', additionalProperties: { type: 'number' } },
  },
)

const range = {
  value: number('Of the model [N m, N]'),
  min: { oneOf: [number('The least that explains the same motion'), { const: null }], description: 'null without a bound' },
  max: { oneOf: [number('The greatest'), { const: null }], description: 'null without a bound' },
}

const ranges = object('featherbed.Ranges', 'Motor torques and contact forces within the friction cones that explain the step', {
  step,
  t,
  excess: number("Largest distance of the model's contact forces outside their cones [N]"),
  relaxation: number('The least such distance of all forces that explain the motion; 0 where there are admissible ones [N]'),
  torques: { type: 'array', items: object('Torque', 'Of one motor', { name: text('Joint'), ...range }) },
  contacts: {
    type: 'array',
    items: object('Forces', 'Of one contact on B, along its normal and both tangents', {
      pair: count('As in featherbed.Contact'),
      feature: { type: 'integer', description: 'As in featherbed.Contact' },
      forces: { type: 'array', items: object('Force', 'Along an axis', { axis: numbers('In world axes'), ...range }) },
    }),
  },
})

const own = [state, contacts, energy, solver, channels, ranges]
const borrowed = [foxglove.FrameTransforms, foxglove.SceneUpdate, foxglove.JointStates, foxglove.Log]

export type SchemaName =
  | 'featherbed.State'
  | 'featherbed.Contacts'
  | 'featherbed.Energy'
  | 'featherbed.Solver'
  | 'featherbed.Channels'
  | 'featherbed.Ranges'
  | 'foxglove.FrameTransforms'
  | 'foxglove.SceneUpdate'
  | 'foxglove.JointStates'
  | 'foxglove.Log'

const texts = new Map([...own, ...borrowed].map((schema) => [schema.title as string, JSON.stringify(schema)]))

/** A schema by its name, and its text. */
export function schemaOf(name: SchemaName): { name: string; text: string } {
  return { name, text: texts.get(name) as string }
}
