import type { OverlayName } from '../overlays/overlays.ts'
import { type LayoutName, layouts } from '../runs/layout.ts'
import type { ThemeName } from '../stage/palette.ts'
import { type SurroundingsName, surroundings } from '../stage/surroundings.ts'

/** Coulomb friction of a first run. */
export const USUAL_FRICTION = 0.8

/** Time steps that the page offers [s]. */
export const timeSteps: readonly number[] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02]

/** Settings of the panel. The first part makes a new run, the second only another picture. */
export type Settings = ReturnType<typeof firstSettings>

export const firstSettings = (robot: string, controller: string, models: string[], theme: ThemeName) => ({
  robot,
  /** Whether its root link moves freely. */
  base: 'as the file says' as 'as the file says' | 'floating' | 'fixed',
  /** Path of the robot's SRDF file, '' for none. */
  srdf: '',
  /** The named pose to start in, '' for home. */
  pose: '',
  controller,
  /** Ground of the robot: one of `surroundings`. */
  ground: 'flat' as SurroundingsName,
  /** Contact models, at least one; of ghosts the first is solid. */
  models,
  /** [s] */
  dt: 1e-3,
  friction: USUAL_FRICTION,
  restitution: 0,
  /** [mm] */
  allowedPenetration: 1,
  /** Downwards [m/s²]. */
  gravity: 9.80665,
  /** Of the controller, those that are not its own default. */
  gains: {} as Record<string, number>,
  /** The configuration to start in (nq), in place of a named pose. */
  start: null as number[] | null,
  /** Impulse of a user's push [N s]. */
  impulse: 1,

  points: true,
  forces: true,
  split: false,
  /** Factor on the length of arrows that the page picks. */
  arrows: 1,
  visuals: true,
  collisions: false,
  /** Overlays that are shown, by their names. */
  overlays: [] as OverlayName[],
  /** Of the robot, 0 to 1. */
  opacity: 1,
  /** Marks of feature contacts, of models that read them. */
  features: false,
  follow: true,
  /** Distance between robots that stand side by side, over their need. */
  apart: 1,
  theme,
  layout: layouts[0] as LayoutName,
  /** Whether each run is held to the laws as it goes. */
  judged: true,
})

/**
 * Applies an address: `?robot=humanoid&models=penalty,stewart-trinkle&dt=0.001&play=0`.
 *
 * @returns whether it is to play, and unknown requests
 */
export function settingsOfAddress(
  settings: Settings,
  search: string,
  known: { robots: string[]; models: string[]; controllers: string[] },
): { readonly plays: boolean; readonly refused: string[] } {
  const query = new URLSearchParams(search)
  const refused: string[] = []
  const take = (name: string, allowed: readonly string[], every?: string) => {
    const values = (query.get(name) ?? '').split(',').filter((value) => value !== '')
    if (every !== undefined && values.includes(every)) return allowed
    for (const value of values) if (!allowed.includes(value)) refused.push(`${name} "${value}": there are ${allowed.join(', ')}`)
    return values.filter((value) => allowed.includes(value))
  }
  settings.robot = take('robot', known.robots)[0] ?? settings.robot
  settings.controller = take('controller', known.controllers)[0] ?? settings.controller
  settings.ground = (take('ground', surroundings)[0] as SurroundingsName | undefined) ?? settings.ground
  const models = [...new Set(take('models', known.models, 'all'))]
  if (models.length > 0) settings.models = models
  settings.layout = (take('layout', layouts)[0] as LayoutName | undefined) ?? settings.layout
  const dt = query.get('dt')
  if (Number(dt) > 0 && Number(dt) <= 0.1) settings.dt = Number(dt)
  else if (dt !== null) refused.push(`dt "${dt}": a step is above 0 and at most 0.1 s`)
  const friction = query.get('friction')
  if (Number(friction) >= 0 && Number(friction) <= 10)
    settings.friction = friction === null ? settings.friction : Number(friction)
  else refused.push(`friction "${friction}": a number from 0 to 10`)
  settings.theme = (take('theme', ['light', 'dark'])[0] as ThemeName | undefined) ?? settings.theme
  return { plays: take('play', ['0', '1'])[0] !== '0', refused }
}

export function addressOfSettings({ robot, controller, ground, models, dt, layout, friction }: Settings): string {
  const unusual = {
    ...(friction === USUAL_FRICTION || robot.startsWith('scene') ? {} : { friction: String(friction) }),
    ...(ground === 'flat' ? {} : { ground }),
    ...(layout === layouts[0] ? {} : { layout }),
  }
  const query = { robot, controller, models: models.join(','), dt: String(dt), ...unusual }
  return `?${new URLSearchParams(query)}`.replaceAll('%2C', ',')
}
