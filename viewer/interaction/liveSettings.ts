import type { ControllerName } from '../controllers.ts'
import type { Settings } from '../panel/settings.ts'
import type { RunSetup } from '../runs/protocol.ts'

/** The settings that a run is made of. */
const names = [
  'pose',
  'start',
  'controller',
  'gains',
  'ground',
  'models',
  'dt',
  'friction',
  'restitution',
  'allowedPenetration',
  'gravity',
  'judged',
] as const
export type RunSettings = Pick<Settings, (typeof names)[number]>

/** A copy. */
export function runSettings(settings: Settings): RunSettings {
  return structuredClone(Object.fromEntries(names.map((name) => [name, settings[name]]))) as RunSettings
}

/** Names of those that differ. */
export function edited(a: RunSettings, b: RunSettings): (keyof RunSettings)[] {
  return names.filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]))
}

/** Those with which a run can go on as it is; the others begin a new one, but for `models` and `dt`, which the session takes. */
export const isLive = (name: keyof RunSettings): boolean => !['pose', 'start', 'ground', 'judged'].includes(name)

/**
 * The part of a run's setup that changes while it runs.
 *
 * @param ownGravity of the robot's file, downwards [m/s²]
 */
export function liveSetup(
  settings: RunSettings,
  ownGravity: number,
): Pick<RunSetup, 'controller' | 'options' | 'physical'> & { readonly gravity: RunSetup['gravity'] } {
  const { controller, gains, friction, restitution, allowedPenetration, gravity } = settings
  return {
    controller: controller as ControllerName,
    options: { ...gains },
    physical: { friction, restitution, allowedPenetration: allowedPenetration / 1000 },
    gravity: gravity === ownGravity ? undefined : [0, 0, -gravity],
  }
}
