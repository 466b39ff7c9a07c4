import type { Scene } from './scene.ts'

/** Scenes of the docs that the page offers. */
export const sceneNames = [
  'pile',
  'stairs',
  'ramp',
  'edges-curb',
  'terrain',
  'conveyor',
  'grooves',
  'treadmill',
  'fourbar',
  'slalom',
  'stop-at-wall',
  'humanoid-slalom',
  'humanoid-pushes',
  'humanoid-carries',
  'lift-turn-place',
  'trot-steps',
  'capture-step',
  'grip',
  'brake',
  'cards',
  'kick',
  'bounce',
] as const
export type SceneName = (typeof sceneNames)[number]

/** How a scene stands among the robots to choose from. */
const PREFIX = 'scene: '
export const sceneChoices: readonly string[] = sceneNames.map((name) => PREFIX + name)

/** A scene with all that it names; undefined for any other. */
export async function galleryScene(choice: string): Promise<Scene | undefined> {
  if (!sceneChoices.includes(choice)) return undefined
  const { texts } = await import('./galleryFiles.ts')
  const encoder = new TextEncoder()
  const files = new Map(Object.entries(texts).map(([path, text]) => [path.replace(/^.*\//, ''), encoder.encode(text)]))
  return { file: `${choice.slice(PREFIX.length)}.yaml`, files, origin: 'own' }
}
