import type { Data, LengthPart, Model } from '../../dynamics/index.ts'
import type { ActuatorDescription, MuscleDescription, RobotDescription } from '../description.ts'
import type { RobotActuator, RobotJoint, RobotMimic } from '../robot.ts'
import type { Group } from './groups.ts'
import { BodyFrames, Mobility } from './lengths.ts'

/** What actuators are attached to. */
interface Attached {
  readonly model: Model
  readonly groups: readonly Group[]
  readonly joints: readonly RobotJoint[]
  readonly mimics: readonly RobotMimic[]
  /** Scratch of the model. */
  readonly data: Data
}

/**
 * The actuators of a file at the coordinates that they drive, of a joint that follows another that one's, or along their lengths. A positive
 * bias of the speed of a servo is its damping ratio, of the inertia 1 / (J M^-1 J^T) along its row J in the reference configuration q, where all
 * else moves freely. So it is in MuJoCo from 3.15 on; it was M_jj, of all other joints held, before.
 *
 * @param q the reference configuration
 */
export function compileActuators({ actuators = [] }: RobotDescription, q: Float64Array, attached: Attached): RobotActuator[] {
  const { model, groups, joints, mimics, data } = attached
  const byName = new Map(joints.map((joint) => [joint.name, joint]))
  const frames = new BodyFrames(groups)
  const mobility = new Mobility(model, q, data)
  return actuators.flatMap((actuator): RobotActuator[] => {
    const { place: _, armature: __, damping: ___, lengths: described, attracts, muscle, ...own } = actuator
    const attracted = groups.findIndex(({ links }) => links.some(({ link }) => link.name === attracts))
    if (described) {
      const lengths = described.map((parts) => frames.parts(parts))
      const rows = lengths.map((parts) => mobility.along(parts))
      const [row] = rows
      return [
        {
          ...own,
          ...(attracts !== undefined && { attracts: attracted }),
          ...(muscle && { muscle: scaledMuscle(muscle, actuator, row, model, lengths[0]) }),
          ...(own.orientation && { orientation: dampedTurn(own.orientation, rows) }),
          bias: damped(actuator, row, 1),
          lengths,
          ...{ qIndex: -1, vIndex: -1, multiplier: 1, offset: 0 },
        },
      ]
    }
    const mimic = mimics.find(({ name }) => name === actuator.joint)
    const joint = byName.get(mimic?.follows ?? actuator.joint)
    if (!joint) return []
    const { multiplier = 1, offset = 0 } = mimic ?? {}
    const { qIndex, vIndex, body } = joint
    const part: LengthPart = { type: 'joint', body, factor: multiplier }
    const row = muscle || isRatio(actuator) ? mobility.along([part]) : undefined
    return [
      {
        ...own,
        ...(muscle && row && { muscle: scaledMuscle(muscle, actuator, row, model, [part]) }),
        bias: row ? damped(actuator, row, 1) : actuator.bias,
        ...{ qIndex, vIndex, multiplier, offset },
      },
    ]
  })
}

const isRatio = ({ bias, gain, pid }: ActuatorDescription) =>
  bias[2] > 0 && bias[1] < 0 && (bias[1] === -gain[0] || pid !== undefined)

/** J M^-1 J^T of a row J, and the size of M^-1 J^T. */
type Row = readonly [mobility: number, acceleration: number]

function damped(actuator: ActuatorDescription, [mobility]: Row, multiplier: number): readonly [number, number, number] {
  const { bias, gear } = actuator
  if (!isRatio(actuator)) return bias
  return [bias[0], bias[1], (-2 * bias[2] * Math.sqrt(-bias[1] / mobility)) / Math.abs(gear * multiplier)]
}

/** With the inertia 1 over the mean mobility about its three axes. */
function dampedTurn(own: NonNullable<ActuatorDescription['orientation']>, rows: readonly Row[]): typeof own {
  const { stiffness, damping } = own
  if (damping <= 0) return own
  const mean = rows.reduce((sum, [mobility]) => sum + mobility, 0) / rows.length
  return { ...own, damping: -2 * damping * Math.sqrt(stiffness / mean) }
}

/** A muscle whose force follows from the acceleration that it gives, with its range of lengths. */
function scaledMuscle(
  muscle: MuscleDescription,
  { gear }: ActuatorDescription,
  [, acceleration]: Row,
  model: Model,
  parts: readonly LengthPart[],
): Required<MuscleDescription> {
  const { force, scale, lengthRange } = muscle
  return {
    ...muscle,
    force: force < 0 ? scale / Math.max(1e-15, Math.abs(gear) * acceleration) : force,
    lengthRange: lengthRange ?? rangeByLimits(model, parts, gear),
  }
}

/** The range that the limits of its joints leave to the length of joints; without limits one of no length. */
function rangeByLimits({ lower, upper, sStart, vOfS }: Model, parts: readonly LengthPart[], gear: number): [number, number] {
  let [least, most] = [0, 0]
  for (const part of parts) {
    if (part.type !== 'joint') return [0, 0]
    const k = vOfS[sStart[part.body]]
    const ends = [part.factor * gear * lower[k], part.factor * gear * upper[k]]
    least += Math.min(...ends)
    most += Math.max(...ends)
  }
  return Number.isFinite(most - least) ? [least, most] : [0, 0]
}
