/** Sensors of a robot's own file, measured as MuJoCo measures them: quaternions are w, x, y, z. */
import { RayTarget, type Shape } from '../../contact/geometry/index.ts'
import {
  type Data,
  type Frame,
  frameAcceleration,
  framePose,
  frameVelocity,
  kineticEnergy,
  mulQuaternion,
  potentialEnergy,
  quaternionOfRotation,
  rotateTransposed3,
  TendonLengths,
} from '../../dynamics/index.ts'
import type { Robot, RobotSensor } from '../../robots/index.ts'
import { chainQuaternion, fixedQuaternions } from './chainQuaternion.ts'
import { raysFrom } from './instruments.ts'
import type { LastMotion } from './lastMotion.ts'
import type { Instrument, Sight } from './sensor.ts'
import { reachBetween, sidesOf, subtractLoads, subtreeForce, subtreeMomentum, withoutContacts } from './subtree.ts'

type Measure = (sight: Sight, out: Float64Array) => void

interface Kind {
  readonly size: number
  /** Numbers that `cutoff` bounds: none of directions. */
  readonly bounded: 'both sides' | 'above' | 'none'
  make(robot: Robot, sensor: RobotSensor, last: LastMotion): Measure
}

const R = new Float64Array(9)
const p = new Float64Array(3)
const otherR = new Float64Array(9)
const otherP = new Float64Array(3)
const velocity = new Float64Array(6)
const otherVelocity = new Float64Array(6)
const three = new Float64Array(3)
const six = new Float64Array(6)
/** Mass, and mass times its centre. */
const mass = new Float64Array(4)
/** 1: distance along a ray, and its longest [m]. */
const far = new Float64Array(1)
const FAR = 100

const kind = (size: number, make: Kind['make'], bounded: Kind['bounded'] = 'both sides'): Kind => ({ size, make, bounded })

// Coordinates of joints, tendons and actuators

const position = kind(1, ({ model }, { terms, along }) => {
  if (along !== undefined) {
    const lengths = new TendonLengths(model, [along])
    return ({ state: { q }, data }, out) => {
      lengths.evaluate(q, data)
      out[0] = along.factor * lengths.length[0]
    }
  }
  return ({ state: { q } }, out) => {
    out[0] = 0
    for (let i = 0; i < terms.length; i++) out[0] += terms[i].slope * q[terms[i].qIndex] + terms[i].offset
  }
})

const speed = kind(1, ({ model }, { terms, along }) => {
  if (along !== undefined) {
    const lengths = new TendonLengths(model, [along])
    return ({ state: { q, v }, data }, out) => {
      lengths.evaluate(q, data)
      lengths.speed(0, v, out, 0)
      out[0] *= along.factor
    }
  }
  return ({ state: { v } }, out) => {
    out[0] = 0
    for (let i = 0; i < terms.length; i++) out[0] += terms[i].slope * v[terms[i].vIndex]
  }
})

/** Distance of a joint to its limit where it is beyond, negative, or the rate of it; 0 within. */
const limit = (ofSpeed: boolean) =>
  kind(1, (_, { terms: [term], limits: [lower, upper] = [-Infinity, Infinity] }) => ({ state: { q, v } }, out) => {
    const at = term.slope * q[term.qIndex] + term.offset
    const rate = term.slope * v[term.vIndex]
    if (at < lower) out[0] = ofSpeed ? rate : at - lower
    else if (at > upper) out[0] = ofSpeed ? -rate : upper - at
    else out[0] = 0
  })

const ballOrientation = kind(
  4,
  (_, { terms: [{ qIndex }] }) =>
    ({ state: { q } }, out) => {
      for (let k = 0; k < 4; k++) out[k] = q[qIndex + ((k + 3) % 4)]
    },
  'none',
)

const ballSpin = kind(3, (_, { terms: [{ vIndex }] }) => ({ state: { v } }, out) => {
  for (let k = 0; k < 3; k++) out[k] = v[vIndex + k]
})

// Frames

/** out = `three` in the axes of the reference, whose pose is in otherR; without one in the world's. */
function inReference(out: Float64Array, reference: Frame | undefined): void {
  if (reference === undefined) out.set(three)
  else rotateTransposed3(out, otherR, three)
}

const framePosition = kind(3, (_, { object, reference }) => ({ data }, out) => {
  framePose(data, object as Frame, R, three)
  if (reference !== undefined) {
    framePose(data, reference, otherR, otherP)
    for (let k = 0; k < 3; k++) three[k] -= otherP[k]
  }
  inReference(out, reference)
})

const frameAxis = (axis: number) =>
  kind(
    3,
    (_, { object, reference }) =>
      ({ data }, out) => {
        framePose(data, object as Frame, R, p)
        if (reference !== undefined) framePose(data, reference, otherR, otherP)
        for (let k = 0; k < 3; k++) three[k] = R[3 * k + axis]
        inReference(out, reference)
      },
    'none',
  )

const frameOrientation = kind(
  4,
  ({ model }, { object, reference }) => {
    const fixed = fixedQuaternions(model)
    const turnOf = (frame: Frame) => {
      const own = new Float64Array(4)
      const turn = new Float64Array(4)
      quaternionOfRotation(own, 0, frame.R)
      return (q: Float64Array) => {
        chainQuaternion(model, q, fixed, frame.body, turn)
        mulQuaternion(turn, 0, turn, 0, own, 0)
        return turn
      }
    }
    const ownTurn = turnOf(object as Frame)
    const otherTurn = reference && turnOf(reference)
    return ({ state: { q } }, out) => {
      const turn = ownTurn(q)
      if (otherTurn !== undefined) {
        const other = otherTurn(q)
        for (let k = 0; k < 3; k++) other[k] = -other[k]
        mulQuaternion(turn, 0, other, 0, turn, 0)
      }
      for (let k = 0; k < 4; k++) out[k] = turn[(k + 3) % 4]
    }
  },
  'none',
)

/** Angular (from 0) or linear part (from 3) of a frame's velocity, seen from a reference that moves and turns. */
const frameSpeed = (from: 0 | 3) =>
  kind(3, (_, { object, reference }) => ({ data }, out) => {
    frameVelocity(data, object as Frame, velocity)
    if (reference !== undefined) {
      framePose(data, object as Frame, R, p)
      framePose(data, reference, otherR, otherP)
      frameVelocity(data, reference, otherVelocity)
      for (let k = 0; k < 3; k++) p[k] -= otherP[k]
      for (let k = 0; k < 6; k++) velocity[k] -= otherVelocity[k]
      velocity[3] += p[1] * otherVelocity[2] - p[2] * otherVelocity[1]
      velocity[4] += p[2] * otherVelocity[0] - p[0] * otherVelocity[2]
      velocity[5] += p[0] * otherVelocity[1] - p[1] * otherVelocity[0]
    }
    for (let k = 0; k < 3; k++) three[k] = velocity[from + k]
    inReference(out, reference)
  })

/** A vector of the world, written to `three`, in the frame's own axes. */
const inOwnAxes = (write: (data: Data, frame: Frame, sensor: RobotSensor) => void) =>
  kind(3, (_, sensor) => ({ data }, out) => {
    const frame = sensor.object as Frame
    write(data, frame, sensor)
    framePose(data, frame, R, p)
    rotateTransposed3(out, R, three)
  })

const ownSpeed = (from: 0 | 3) =>
  inOwnAxes((data, frame) => {
    frameVelocity(data, frame, six)
    for (let k = 0; k < 3; k++) three[k] = six[from + k]
  })

const magneticField = inOwnAxes((_, __, { field = [0, 0, 0] }) => {
  for (let k = 0; k < 3; k++) three[k] = field[k]
})

/** The volume of a site, which a ray meets at once from inside. */
const zoneAt = (frame: Frame, shape: Shape) => new RayTarget({ name: '', body: frame.body, shape, R: frame.R, p: frame.p })
const up = Float64Array.of(0, 0, 1)

const insideSite = kind(
  1,
  (_, { object, reference, zone }) => {
    const frame = reference as Frame
    const target = zoneAt(frame, zone as Shape)
    return ({ data }, out) => {
      framePose(data, object as Frame, R, p)
      target.place(data.R_WB[frame.body], data.p_WB[frame.body])
      far[0] = Number.MIN_VALUE
      target.cast(p, up, far, 0)
      out[0] = far[0] === 0 ? 1 : 0
    }
  },
  'above',
)

/** Distance along z to all but the site's own link; -1 where there is nothing. */
const ray = kind(1, (robot, { object }) => {
  const frame = object as Frame
  const rays = raysFrom(robot, frame, up, FAR, frame.name)
  return (sight, out) => {
    rays.measure(sight, six, out)
    if (out[0] >= FAR) out[0] = -1
  }
})

// Masses

const ofSubtree = (write: (out: Float64Array) => void) =>
  kind(3, (_, { subtree = [] }) => ({ data }, out) => {
    subtreeMomentum(subtree, data, mass, six)
    write(out)
  })

const subtreeCenter = ofSubtree((out) => {
  for (let k = 0; k < 3; k++) out[k] = mass[1 + k] / mass[0]
})

const subtreeSpeed = ofSubtree((out) => {
  for (let k = 0; k < 3; k++) out[k] = six[3 + k] / mass[0]
})

/** About the subtree's centre of mass. */
const subtreeSpin = ofSubtree((out) => {
  out[0] = six[0] - (mass[2] * six[5] - mass[3] * six[4]) / mass[0]
  out[1] = six[1] - (mass[3] * six[3] - mass[1] * six[5]) / mass[0]
  out[2] = six[2] - (mass[1] * six[4] - mass[2] * six[3]) / mass[0]
})

const potential = kind(1, ({ model }, { subtree = [] }) => ({ state, data }, out) => {
  potentialEnergy(model, state, data, out)
  subtreeMomentum(subtree, data, mass, six)
  for (let k = 0; k < 3; k++) out[0] -= model.gravity[3 + k] * mass[1 + k]
})

const kinetic = kind(1, ({ model }) => ({ state, data }, out) => {
  kineticEnergy(model, state, data, out)
})

const clock = kind(1, () => ({ state: { t } }, out) => {
  out[0] = t[0]
})

// Over the last step, at its start: mean accelerations and forces

/** Angular (from 0) or linear part (from 3) of a frame's acceleration less gravity, in world axes or its own; 0 of what stands still. */
const acceleration = (from: 0 | 3, isLocal = false) =>
  kind(3, ({ model: { gravity, vLast } }, { object }, last) => (sight, out) => {
    if (vLast[object!.body] < 0) {
      out.fill(0)
      return
    }
    last.read(sight)
    frameAcceleration(last.data, object as Frame, six)
    for (let k = 0; k < 3; k++) three[k] = six[from + k] - (from === 3 ? gravity[3 + k] : 0)
    framePose(last.data, object as Frame, R, p)
    if (isLocal) rotateTransposed3(out, R, three)
    else out.set(three)
  })

/**
 * Force (from 3) of the parent on the link's subtree, or its moment (from 0) about the site, in the site's axes. Pushes and loops on a body of
 * several links count as on the first of them.
 */
const interaction = (from: 0 | 3) =>
  kind(3, ({ model: { gravity, bodyName } }, { object, subtree = [], links = [] }, last) => {
    const lessContacts = withoutContacts(links)
    const whole = subtree.map(({ body }) => body).filter((body) => body > 0 && links.includes(bodyName[body]))
    return (sight, out) => {
      last.read(sight)
      subtreeForce(subtree, gravity, last.data, six)
      lessContacts(sight, six)
      subtractLoads(sight, whole, six)
      framePose(last.data, object as Frame, R, p)
      for (let k = 0; k < 3; k++) three[k] = six[from + k]
      if (from === 0) {
        three[0] -= p[1] * six[5] - p[2] * six[4]
        three[1] -= p[2] * six[3] - p[0] * six[5]
        three[2] -= p[0] * six[4] - p[1] * six[3]
      }
      rotateTransposed3(out, R, three)
    }
  })

/** The sum of normal forces on the site's link whose lines, outwards from their points, meet the site's volume. */
const touch = kind(
  1,
  (_, { object, zone }, last) => {
    const { name, body } = object as Frame
    const target = zoneAt(object as Frame, zone as Shape)
    const [point, outwards] = [new Float64Array(3), new Float64Array(3)]
    let side: Int8Array | undefined
    return (sight, out) => {
      out[0] = 0
      if (sight.surroundings === undefined) return
      const { stepBefore } = sight.surroundings.world
      stepBefore.keepsPoints = true
      side ??= sidesOf(sight.surroundings, [name])
      const { points, pointCount } = stepBefore
      last.read(sight)
      target.place(last.data.R_WB[body], last.data.p_WB[body])
      for (let i = 0; i < pointCount; i++) {
        const sign = side[points[9 * i]]
        if (sign === 0 || !(points[9 * i + 7] > 0)) continue
        for (let k = 0; k < 3; k++) {
          point[k] = points[9 * i + 1 + k]
          outwards[k] = -sign * points[9 * i + 4 + k]
        }
        far[0] = FAR
        target.cast(point, outwards, far, 0)
        if (far[0] < FAR) out[0] += points[9 * i + 7]
      }
    }
  },
  'above',
)

/** Number of points of contact between its sides. */
const contactCount = kind(
  1,
  (_, { sides = [] }) => {
    let reach: Float64Array | undefined
    return ({ surroundings }, out) => {
      out[0] = 0
      if (surroundings === undefined) return
      const { stepBefore } = surroundings.world
      stepBefore.keepsPoints = true
      reach ??= reachBetween(surroundings, sides)
      const { points, pointCount } = stepBefore
      for (let i = 0; i < pointCount; i++) if (points[9 * i + 8] <= reach[points[9 * i]]) out[0]++
    }
  },
  'none',
)

/** Force of an actuator; where efforts are given in its place, that which makes the effort at its joint. */
const actuatorForce = kind(1, (_, { actuator = 0, terms: [{ vIndex, slope }] }) => ({ efforts, forces }, out) => {
  if (forces !== undefined && forces.length > 0) out[0] = forces[actuator]
  else out[0] = efforts === undefined || slope === 0 ? 0 : efforts[vIndex] / slope
})

const jointEffort = kind(1, (_, { terms: [{ vIndex }] }) => ({ efforts }, out) => {
  out[0] = efforts === undefined ? 0 : efforts[vIndex]
})

const kinds: Readonly<Record<string, Kind>> = {
  jointpos: position,
  jointvel: speed,
  tendonpos: position,
  tendonvel: speed,
  actuatorpos: position,
  actuatorvel: speed,
  actuatorfrc: actuatorForce,
  jointactuatorfrc: jointEffort,
  jointlimitpos: limit(false),
  jointlimitvel: limit(true),
  ballquat: ballOrientation,
  ballangvel: ballSpin,
  framepos: framePosition,
  framequat: frameOrientation,
  framexaxis: frameAxis(0),
  frameyaxis: frameAxis(1),
  framezaxis: frameAxis(2),
  framelinvel: frameSpeed(3),
  frameangvel: frameSpeed(0),
  framelinacc: acceleration(3),
  frameangacc: acceleration(0),
  accelerometer: acceleration(3, true),
  gyro: ownSpeed(0),
  velocimeter: ownSpeed(3),
  magnetometer: magneticField,
  force: interaction(3),
  torque: interaction(0),
  touch,
  contact: contactCount,
  rangefinder: ray,
  insidesite: insideSite,
  subtreecom: subtreeCenter,
  subtreelinvel: subtreeSpeed,
  subtreeangmom: subtreeSpin,
  e_potential: potential,
  e_kinetic: kinetic,
  clock,
}

/** A sensor of the robot's file. @param last shared by the sensors of a robot */
export function ofFile(robot: Robot, sensor: RobotSensor, last: LastMotion): Instrument {
  const { size, bounded, make } = kinds[sensor.type]
  const measure = make(robot, sensor, last)
  const { cutoff } = sensor
  return {
    parts: [{ name: 'value', size }],
    measure(sight, _memory, out) {
      measure(sight, out)
      if (!(cutoff > 0) || bounded === 'none') return
      for (let k = 0; k < size; k++) out[k] = Math.min(cutoff, bounded === 'above' ? out[k] : Math.max(-cutoff, out[k]))
    },
  }
}
