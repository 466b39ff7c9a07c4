/** What overlays of the page show, against the core. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { centerOfMass, createData, createState, kinematics, type Model } from '../../dynamics/index.ts'
import type { ShownOverlays } from '../../viewer/overlays/overlays.ts'
import type { Snapshot } from '../../viewer/runs/protocol.ts'
import type {} from '../../viewer/testHook.ts'

type Numbers = Record<'q' | 'contacts' | 'contactBodies' | 'mu', readonly number[]>

/** Of each run what its overlays show, and the snapshot of the step that is shown. */
export function shownOverlays(page: Page): Promise<(ShownOverlays & Numbers)[]> {
  return page.evaluate(() => {
    const { session, overlays } = window.featherbed
    return overlays().map((own, i) => {
      const { q, contacts, contactBodies, mu } = session.lanes[i].history.at(session.step) as Snapshot
      const [numbers, bodies] = [[q, contacts, mu].map((array) => Array.from(array)), Array.from(contactBodies)]
      return { ...own, q: numbers[0], contacts: numbers[1], mu: numbers[2], contactBodies: bodies }
    })
  })
}

const closeTo = (a: readonly number[], b: ArrayLike<number>) => a.every((x, k) => Math.abs(x - b[k]) < 1e-9)

/**
 * Of one robot on the ground: the mark of the centre of mass is at the core's, the corners of the support are contacts that push it up, and each
 * cone that stands on a contact opens about the normal by the friction of the pair.
 *
 * @returns how many corners and spokes there were
 */
export function expectAsCore(model: Model, shown: ShownOverlays & Numbers): { corners: number; spokes: number } {
  const { lines, q, contacts, contactBodies, mu } = shown
  const [state, data, center] = [createState(model), createData(model), new Float64Array(3)]
  state.q.set(q)
  kinematics(model, state, data)
  centerOfMass(model, data, center)
  const cross = lines['centre of mass']
  for (let k = 0; k < 3; k++) expect((cross[k] + cross[3 + k]) / 2).toBeCloseTo(center[k], 9)

  const touching = mu.map((mu, c) => ({
    mu,
    at: contacts.slice(10 * c, 10 * c + 3),
    normal: contacts.slice(10 * c + 3, 10 * c + 6),
    // of the ground on the robot: the force is that on the second of the pair
    up: contactBodies[2 * c] === 0 ? contacts[10 * c + 8] : contactBodies[2 * c + 1] === 0 ? -contacts[10 * c + 8] : 0,
  }))
  const segments = (name: string) =>
    Array.from({ length: lines[name].length / 6 }, (_, i) => [
      lines[name].slice(6 * i, 6 * i + 3),
      lines[name].slice(6 * i + 3, 6 * i + 6),
    ])
  const corners = segments('support and pressure').slice(0, -3) // the last three are the cross of the pressure
  for (const [from, to] of corners) {
    for (const end of [from, to]) expect(touching.some(({ at, up }) => up > 0 && closeTo(at, end))).toBe(true)
  }
  let spokes = 0
  for (const [from, to] of segments('friction cones')) {
    const contact = touching.find(({ at }) => closeTo(at, from))
    if (contact === undefined) continue // of the rim
    spokes++
    const along = to.map((x, k) => x - from[k])
    const height = along.reduce((sum, x, k) => sum + x * contact.normal[k], 0)
    const angle = Math.acos(Math.min(1, height / Math.hypot(...along)))
    expect(angle).toBeCloseTo(Math.atan(contact.mu), 5) // normals are in single precision
  }
  return { corners: corners.length, spokes }
}
