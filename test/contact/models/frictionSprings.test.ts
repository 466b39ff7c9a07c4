import { describe, expect, test } from 'vitest'
import { ContactSet } from '../../../contact/index.ts'
import { SpringMemory } from '../../../contact/models/friction/springMemory.ts'
import { springCapacity, TangentialSprings } from '../../../contact/models/friction/tangentialSprings.ts'
import { createData, createState, kinematics, type Model } from '../../../dynamics/index.ts'
import { box, g, makeWorld, run } from '../laws/scenes.ts'

describe('what springs remember', () => {
  test('is found by pair and feature, whatever the order, and what is not written anew is gone', () => {
    const springs = new SpringMemory(40, 3)
    const memory = new Float64Array(3 + springs.memorySize).fill(0)
    memory.fill(7, 0, 3) // another's
    springs.open(memory)
    expect(springs.find(memory, 0, 0)).toBe(-1)
    springs.clear(memory)
    for (let pair = 0; pair < 5; pair++)
      for (let feature = 0; feature < 8; feature++) memory[springs.append(memory, pair, 1000 * feature)] = 10 * pair + feature
    springs.open(memory)
    for (let feature = 7; feature >= 0; feature--)
      for (let pair = 0; pair < 5; pair++) expect(memory[springs.find(memory, pair, 1000 * feature)]).toBe(10 * pair + feature)
    expect(springs.find(memory, 5, 0)).toBe(-1)
    springs.clear(memory)
    springs.append(memory, 4, 3000)
    springs.open(memory)
    expect(springs.find(memory, 4, 3000)).toBeGreaterThan(0)
    expect(springs.find(memory, 3, 3000)).toBe(-1)
    expect([...memory.subarray(0, 3)]).toEqual([7, 7, 7])
  })

  const { model } = box([1, 1, 1])
  const contactsOf = (model: Model, count: number) => {
    const contacts = new ContactSet()
    contacts.reserve(count)
    contacts.count = count
    for (let i = 0; i < count; i++) {
      contacts.bodyB[i] = model.nb - 1
      contacts.feature[i] = i
      contacts.normal[3 * i + 2] = 1
    }
    return contacts
  }

  test('is limited: points beyond the room have no spring and are counted', () => {
    const room = springCapacity(1)
    const contacts = contactsOf(model, room + 3)
    const data = createData(model)
    kinematics(model, createState(model), data)
    const springs = new TangentialSprings(1, { treeOf: Int32Array.of(-1, 0), mass: Float64Array.of(10) }, 0.8, 0)
    const memory = new Float64Array(new SpringMemory(room, 0).memorySize)
    springs.begin(contacts, data, memory, new Uint8Array(contacts.capacity).fill(1))
    expect(springs.left).toBe(3)
    expect(springs.has.slice(0, room).every((x) => x === 1)).toBe(true)
    expect(springs.has.slice(room, room + 3).every((x) => x === 0)).toBe(true)
  })

  test('damping is critical for the mass of the pair on the springs that share it', () => {
    const contacts = contactsOf(model, 4)
    const data = createData(model)
    kinematics(model, createState(model), data)
    const springs = new TangentialSprings(1, { treeOf: Int32Array.of(-1, 0), mass: Float64Array.of(10) }, 0.5, 0)
    const memory = new Float64Array(new SpringMemory(springCapacity(1), 0).memorySize)
    springs.begin(contacts, data, memory, new Uint8Array(4).fill(1))
    const slope = new Float64Array(4).fill(2000)
    let [k, c] = [0, 0]
    for (let i = 0; i < 4; i++) {
      springs.stiffen(i, slope, i)
      k += springs.stiffness[i]
      c += springs.damping[i]
    }
    expect(k).toBeCloseTo(4000, 9)
    expect(c).toBeCloseTo(2 * Math.sqrt(4000 * 10), 9)
  })
})

test('a box that is nudged on its springs swings back to where they hold it, and one that is pushed beyond the limit stays there', () => {
  for (const [push, back] of [
    [0.5, true],
    [1.5, false],
  ] as const) {
    const world = makeWorld({
      robot: box([0.4, 0.4, 0.1]),
      model: 'penalty',
      physical: { friction: 0.4 },
      options: { friction: 'springs' },
      q: [0, 0, 0.049, 0, 0, 0, 1],
      push: (tau, t) => tau.set([t > 0.5 && t < 0.7 ? push * 0.4 * 10 * g : 0], 3),
    })
    run(world, 2)
    // below the limit nothing slips: the springs take it back; beyond it slides by (F - mu m g) / m for 0.2 s, and a stop
    if (back) expect(Math.abs(world.state.q[0])).toBeLessThan(1e-9)
    else expect(world.state.q[0]).toBeGreaterThan(0.5 * 0.5 * 0.4 * g * 0.2 ** 2)
    expect(Math.hypot(...world.state.v)).toBeLessThan(1e-9)
  }
})
