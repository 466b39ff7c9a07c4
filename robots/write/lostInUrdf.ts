import { shortened } from '../../dynamics/index.ts'
import type { RobotDescription, SemanticDescription, ShapeDescription } from '../description.ts'
import { quote } from '../elements/index.ts'
import { withOwnFriction } from './writeUrdf.ts'

/** Parts of a description that URDF cannot express, a sentence each; `writeUrdf` leaves them out. @unchecked */
export function lostInUrdf(description: RobotDescription, semantic?: SemanticDescription): string[] {
  const {
    links,
    joints,
    actuators = [],
    sensors = [],
    loops = [],
    surroundings = [],
    gravity,
    tendons = [],
    lengths = [],
    fluid,
  } = description
  const lost: string[] = []
  const tell = (what: string, names: readonly string[]) => {
    if (names.length > 0) lost.push(`${what}: ${shortened(names.map(quote), 5)}.`)
  }
  const shaped = links.filter(({ collisions, visuals }) =>
    [...collisions, ...visuals].some(({ geometry }) => geometry.type === 'ellipsoid' || geometry.type === 'points'),
  )
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name)
  tell('ellipsoids and hulls of points', names(shaped))
  tell('where joints start', names(joints.filter(({ initial }) => initial)))
  tell('motors and servos but for their efforts', names(actuators))
  tell('joints without a motor are driven', names(joints.filter(({ effort, type }) => effort === 0 && type !== 'fixed')))
  tell('closed loops', names(loops))
  tell('limits, friction and couplings of lengths', names(lengths))
  tell('sensors', names(sensors))
  tell(lostTendons, names(tendons))
  if (fluid) tell(lostMedium, [description.name])
  tell('springs by a time and a ratio', names(joints.filter(({ springDamper }) => springDamper)))
  tell(
    'mocap bodies stand still',
    joints.flatMap(({ mocap, child }) => (mocap ? [child] : [])),
  )
  tell('weights that are held', names(links.filter(({ gravityCompensation }) => gravityCompensation)))
  tell('surroundings', names(surroundings))
  tell(
    'condim, priority, softness, margins, bits, pairs, adhesion and surfaces that run',
    names(links.filter(({ collisions }) => collisions.some(hasOwnContact))),
  )
  const directed = links.filter(({ collisions }) => collisions.some(({ frictionAcross }) => frictionAcross !== undefined))
  tell('friction by direction of single shapes', names(directed.filter((link) => withOwnFriction(link) === link)))
  tell('solref and solimp of limits and dry friction', names(joints.filter(({ softness }) => softness)))
  tell('frames without mass between joints, which get a gram when read', names(links.filter(({ massless }) => massless)))
  tell('named poses, which SRDF has', names(semantic?.poses ?? []))
  if (gravity?.some((g, k) => g !== [0, 0, -9.81][k])) lost.push(`gravity ${gravity.join(' ')} m/s^2.`)
  return lost
}

/** Whether a geom of MuJoCo states how it touches, beside its friction. */
export const hasOwnContact = ({ geom }: ShapeDescription): boolean =>
  geom !== undefined &&
  (geom.contype !== 1 ||
    geom.conaffinity !== 1 ||
    geom.geom.condim !== 3 ||
    geom.geom.priority !== 0 ||
    geom.geom.softness !== undefined ||
    geom.geom.margin !== undefined ||
    geom.geom.adhesion !== undefined ||
    geom.surfaceVelocity !== undefined ||
    geom.geomPairs !== undefined)

/** Words of what no writer writes. */
export const lostTendons = 'tendons, springs of balls, and springs that are not linear or that yield'
export const lostMedium = 'the medium that bodies move in'
