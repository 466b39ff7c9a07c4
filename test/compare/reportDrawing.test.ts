/** Drawings of robots with their contact forces. */
import { describe, expect, test } from 'vitest'
import { forcePicture, forceScale } from '../../compare/picture/forces.ts'
import { hidingOf, type PaintedFace, paintOrder, visibleFaces } from '../../compare/picture/paint.ts'
import { takeSnapshot } from '../../compare/snapshot.ts'
import { loadOwnRobot } from '../../robots/files.ts'
import { createFreeBody, loadRobot, parseXml, type XmlElement } from '../../robots/index.ts'
import { World } from '../../simulation/index.ts'
import { snapshot } from './reportFixtures.ts'

const size = { width: 420, height: 320 }

function withClass(element: XmlElement, name: string): XmlElement[] {
  const here = (element.attributes.class ?? '').split(' ').includes(name) ? [element] : []
  return [...here, ...element.children.flatMap((child) => withClass(child, name))]
}

/** From the point to the tip, in units of the picture; y upwards. */
function arrows(svg: string): { readonly dx: number; readonly dy: number; readonly length: number }[] {
  return withClass(parseXml(svg, 'picture.svg'), 'contact').map((contact) => {
    const [point] = withClass(contact, 'point')
    const [tip] = withClass(contact, 'tip')
    const [, x, y] = (tip.attributes.d ?? '').match(/^M(\S+) (\S+?)L/) ?? []
    const [dx, dy] = [Number(x) - Number(point.attributes.cx), Number(point.attributes.cy) - Number(y)]
    return { dx, dy, length: Math.hypot(dx, dy) }
  })
}

/** The camera looks from [0.52, -0.78, 0.46] with z upwards: its axes by hand. */
const from = [0.52, -0.78, 0.46]
const ground = Math.hypot(from[0], from[1])
const distance = Math.hypot(...from)
const right = [-from[1] / ground, from[0] / ground, 0]
const up = [(-from[2] * from[0]) / (ground * distance), (-from[2] * from[1]) / (ground * distance), ground / distance]
const along = (axis: readonly number[], f: readonly number[]) => axis[0] * f[0] + axis[1] * f[1] + axis[2] * f[2]

describe('arrows', () => {
  const shown = [snapshot(1, [20, 25, 30, 23.1]), snapshot(1, [60, 5, 5, 28.1])]
  const scale = forceScale(shown, size)
  // points and tips are written to a tenth and a hundredth of a unit
  const rounding = 0.08

  shown.forEach((moment, i) => {
    test(`are as long as the forces project, at one scale for all pictures (${i})`, () => {
      const drawn = arrows(forcePicture(moment, scale, size, { id: 'a', title: '', hasLabels: false }))
      expect(drawn).toHaveLength(moment.contacts.length)
      moment.contacts.forEach(({ force }, c) => {
        expect(Math.abs(drawn[c].dx - scale.newton * along(right, force))).toBeLessThan(rounding)
        expect(Math.abs(drawn[c].dy - scale.newton * along(up, force))).toBeLessThan(rounding)
      })
    })
  })

  test('twice the force is twice the arrow', () => {
    const [a, b] = [10, 20].map((f) => {
      const moment = snapshot(1, [f])
      const doubled = { ...moment, contacts: [{ ...moment.contacts[0], force: [0, 0, f] as const }] }
      return arrows(forcePicture(doubled, scale, size, { id: 'a', title: '', hasLabels: false }))[0].length
    })
    expect(Math.abs(b - 2 * a)).toBeLessThan(2 * rounding)
  })

  test('the bar is as long as a force upwards of what it says', () => {
    const root = parseXml(forcePicture(shown[0], scale, size, { id: 'a', title: '', hasLabels: false }), 'picture.svg')
    const [bar] = withClass(root, 'force-bar')
    const newtons = Number(bar.attributes['data-newton'])
    const [shaft] = withClass(bar, 'shaft')
    const [, tip] = (withClass(bar, 'tip')[0].attributes.d ?? '').match(/^M\S+ (\S+?)L/) ?? []
    expect(Math.abs(Number(shaft.attributes.y1) - Number(tip) - scale.newton * newtons * up[2])).toBeLessThan(rounding)
    expect([1, 2, 5, 10, 20, 50]).toContain(newtons)
  })

  test('stay inside the picture', () => {
    for (const moment of shown) {
      const root = parseXml(forcePicture(moment, scale, size, { id: 'a', title: '', hasLabels: true }), 'picture.svg')
      for (const tip of withClass(root, 'forces').flatMap((group) => withClass(group, 'tip'))) {
        const [, x, y] = (tip.attributes.d ?? '').match(/^M(\S+) (\S+?)L/) ?? []
        expect(Number(x)).toBeGreaterThan(0)
        expect(Number(x)).toBeLessThan(size.width)
        expect(Number(y)).toBeGreaterThan(0)
        expect(Number(y)).toBeLessThan(size.height)
      }
    }
  })

  test('between two bodies point both ways', () => {
    const moment = snapshot(1, [20])
    const other = { ...moment.shapes[0], name: 'other', owner: 1 }
    const between = { ...moment, shapes: [...moment.shapes, other], contacts: [{ ...moment.contacts[0], a: 'other' }] }
    const svg = forcePicture(between, forceScale([between], size), size, { id: 'a', title: '', hasLabels: false })
    expect(withClass(withClass(parseXml(svg, 'p'), 'contact')[0], 'tip')).toHaveLength(2)
  })

  test('nothing that is not finite is drawn', () => {
    const moment = snapshot(1, [20, Number.NaN])
    const broken = { ...moment.shapes[0], name: 'broken', vertices: Float64Array.of(Number.NaN, 0, 0) }
    const wild = { ...moment, shapes: [...moment.shapes, broken] }
    const svg = forcePicture(wild, forceScale([wild], size), size, { id: 'a', title: '', hasLabels: true })
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
    expect(arrows(svg)).toHaveLength(1)
  })
})

describe('a snapshot of a world', () => {
  test('at rest: forces carry the weight, points are on the ground, all is plain data', async () => {
    const robot = await loadOwnRobot('diffdrive')
    for (const contactModel of ['penalty', 'stewart-trinkle']) {
      const world = new World({ robot, contactModel, dt: 1e-3 })
      for (let k = 0; k < 1500; k++) world.step()
      const { t, q, contacts, shapes } = structuredClone(takeSnapshot(world))
      expect(t).toBe(1.5)
      expect(Array.from(q)).toEqual(Array.from(world.state.q))
      const weight = 9.81 * robot.massUsed
      const sum = [0, 1, 2].map((k) => contacts.reduce((total, { force }) => total + force[k], 0))
      // settled to a thousandth of the weight after 1.5 s
      expect(Math.abs(sum[2] - weight)).toBeLessThan(1e-3 * weight)
      expect(Math.hypot(sum[0], sum[1])).toBeLessThan(1e-3 * weight)
      for (const { a, b, point, normal } of contacts) {
        expect(a).toBe('ground')
        expect(robot.shapes.map(({ name }) => name)).toContain(b)
        expect(normal[2]).toBeCloseTo(1, 12)
        expect(Math.abs(point[2])).toBeLessThan(1e-3)
      }
      expect(shapes.filter(({ owner }) => owner === 0)).toHaveLength(robot.shapes.length)
      // the lowest vertex of what is drawn is where the robot stands
      const lowest = Math.min(...shapes.flatMap(({ vertices }) => Array.from(vertices).filter((_, i) => i % 3 === 2)))
      expect(Math.abs(lowest)).toBeLessThan(2e-3)
    }
  })

  test('of a box on a pedestal that is welded down: the pedestal is A, and the box is pushed up', async () => {
    const urdf =
      '<robot name="table"><link name="world"><collision><origin xyz="0 0 0.1"/><geometry><box size="0.4 0.4 0.2"/></geometry></collision></link>' +
      '<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>' +
      '<joint name="turn" type="continuous"><parent link="world"/><child link="arm"/><origin xyz="0 0 2"/><axis xyz="0 0 1"/></joint></robot>'
    const size = [0.1, 0.1, 0.1] as const
    const box = createFreeBody({ name: 'box', shape: { type: 'box', size }, mass: 2, position: [0, 0, 0.25] })
    const robots = [{ name: 'table', robot: loadRobot(urdf, { file: 'table.urdf' }) }, { robot: box }]
    const world = new World({ robots, fixtures: [], contactModel: 'stewart-trinkle', dt: 1e-3 })
    for (let k = 0; k < 20; k++) world.step()
    const { contacts } = takeSnapshot(world)
    expect(contacts.length).toBeGreaterThan(0)
    for (const { a, b, normal } of contacts) {
      expect([a, b]).toEqual(['table/world', 'box/box'])
      expect(normal[2]).toBeCloseTo(1, 12)
    }
    const up = contacts.reduce((sum, { force }) => sum + force[2], 0)
    expect(Math.abs(up / (2 * 9.81) - 1)).toBeLessThan(1e-3) // of its weight, at rest
  })

  test('taking it changes nothing', async () => {
    const robot = await loadOwnRobot('diffdrive')
    const [watched, alone] = [0, 1].map(() => new World({ robot, contactModel: 'penalty', dt: 1e-3 }))
    for (let k = 0; k < 50; k++) {
      watched.step()
      takeSnapshot(watched)
      alone.step()
    }
    expect(watched.hash()).toBe(alone.hash())
  })
})

describe('painting', () => {
  /** A square of side 2 about a point, z changing along x by `slope`. */
  const square = (x: number, z: number, slope: number, body: number): PaintedFace<string> => ({
    points: [
      [x - 1, -1, z - slope],
      [x + 1, -1, z + slope],
      [x + 1, 1, z + slope],
      [x - 1, 1, z - slope],
    ],
    body,
    isConvexBody: true,
    about: String(body),
  })
  const names = (faces: readonly PaintedFace<string>[]) => faces.map(({ about }) => about).join('')

  test('goes from far to near, whatever the order it was given', () => {
    const faces = [square(0, 3, 0, 3), square(0.5, 1, 0, 1), square(0.2, 2, 0.1, 2)]
    expect(names(paintOrder(faces, 10))).toBe('123')
    expect(names(paintOrder(faces.toReversed(), 10))).toBe('123')
  })

  test('a small face in front of a large sloping one comes later, though its middle is farther away', () => {
    const large = square(0, 0, 5, 1)
    const small: PaintedFace<string> = {
      ...square(0, -3, 0, 2),
      points: square(0, -3, 0, 2).points.map(([x, y, z]) => [-0.8 + 0.1 * x, 0.1 * y, z]),
    }
    // at x = -0.8 the large face is at z = -4
    expect(names(paintOrder([small, large], 10))).toBe('12')
  })

  test('faces that cross are cut where they cross', () => {
    const order = paintOrder([square(0, 0, 1, 1), square(0, 0, -1, 2)], 10)
    expect(order.length).toBe(3)
    const cut = order.filter(({ about }) => order.filter((face) => face.about === about).length === 2)
    for (const { points } of cut) expect(points.filter(([x]) => Math.abs(x) < 1e-12)).toHaveLength(2)
    // the uncut one lies between the two pieces of the other
    expect(order[1].about).not.toBe(order[0].about)
    expect(order[2].about).toBe(order[0].about)
  })

  test('what nobody sees is left out', () => {
    const faces = [
      square(0, 0, 0, 1),
      { ...square(0, -1, 0, 2), points: square(0, -1, 0, 2).points.map(([x, y, z]) => [0.5 * x, 0.5 * y, z] as const) },
    ]
    expect(names(visibleFaces(faces, hidingOf(faces)))).toBe('1')
  })
})
