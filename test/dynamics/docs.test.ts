import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import * as dynamics from '../../dynamics/index.ts'
import * as math from '../../dynamics/math/index.ts'
import * as files from '../../robots/files.ts'
import * as robots from '../../robots/index.ts'
import * as simulation from '../../simulation/index.ts'
import { choleskySolve, product, transposedProduct } from '../oracle/dense.ts'
import { filled } from './at.ts'
import { relativeError } from './randomTree.ts'

/** Runs every piece of code of docs/dynamics.md, each after the first, and looks at the values that it names. */

const text = readFileSync(new URL('../../docs/dynamics.md', import.meta.url), 'utf8')
const modules = {
  'featherbed/dynamics': dynamics,
  'featherbed/robots': robots,
  'featherbed/robots/files': files,
  'featherbed/simulation': simulation,
}

/** The code under each heading that has some. */
const pieces = new Map<string, string>()
for (const section of text.split(/^## /m).slice(1)) {
  const code = /```ts\n([\s\S]*?)```/.exec(section)
  if (code !== null) pieces.set(section.slice(0, section.indexOf('\n')), code[1])
}
const setUp = 'Load a robot, set its state'

/** With constants in place of import declarations, so that it can stand in a block. */
function runnable(code: string): string {
  return code.replace(/import (\{[^}]*\}) from ('[^']*')/g, 'const $1 = modules[$2]')
}

/** What the constants of a piece are called that stand in no inner block. */
function constantsOf(code: string): string[] {
  const heads = code.matchAll(/^const (?:(\w+)|[{[](.*)[}\]]) =/gm)
  return [...heads].flatMap(([, name, names]) => name ?? names.split(',').map((each) => each.trim()))
}

/** The constants of the first piece and of this one, which runs after it. */
// biome-ignore lint/suspicious/noExplicitAny: values of code that is text
function run(title: string): Record<string, any> {
  const first = pieces.get(setUp) as string
  const second = title === setUp ? '' : pieces.get(title)
  if (second === undefined)
    throw new Error(`docs/dynamics.md has no code under "${title}", only under ${[...pieces.keys()].join('; ')}`)
  const names = new Set([...constantsOf(first), ...constantsOf(second)])
  const code = `'use strict'\n${runnable(first)}\n{\n${runnable(second)}\nreturn { ${[...names].join(', ')} }\n}`
  return new Function('modules', code)(modules)
}

const asked = new Set<string>()
function shows(title: string, check: (values: ReturnType<typeof run>) => void): void {
  asked.add(title)
  test(title, () => check(run(title)))
}

describe('docs/dynamics.md runs, and says what is so', () => {
  shows(setUp, ({ model, state, data }) => {
    expect(state.v.filter((x: number) => x !== 0)).toEqual(Float64Array.of(0.3, 1.5))
    expect(data.V[model.nb - 1].some((x: number) => x !== 0)).toBe(true)
  })

  shows('Mass matrix, bias force, inverse dynamics', ({ data, a, c, g, tau }) => {
    // tau = M a + c
    expect(
      relativeError(
        tau,
        product(data.M, a).map((x, k) => x + c[k]),
      ),
    ).toBeLessThan(1e-13)
    expect(g).not.toEqual(c)
  })

  shows('Forward dynamics', ({ model, state, data, efforts, forcesW, acceleration }) => {
    const force = filled(model.nv, (out) => dynamics.rnea(model, state, acceleration, data, out))
    const outside = filled(model.nv, (out) => dynamics.addBodyForces(model, forcesW, data, out))
    // what inverse dynamics asks for, less what comes from outside; the condition of M is 1e3
    expect(
      relativeError(
        outside.map((x, k) => force[k] - x),
        efforts,
      ),
    ).toBeLessThan(1e-9)
  })

  shows('Inverse dynamics of a robot in contact', ({ model, world, together, byMotors }) => {
    const largest = (x: Float64Array) => Math.max(...x.map(Math.abs))
    expect(largest(together)).toBeGreaterThan(100)
    expect(largest(byMotors.map((tau: number, k: number) => tau + model.damping[k] * world.state.v[k]))).toBeLessThan(1e-10)
  })

  shows('Solve with M', ({ data, b, solution }) => {
    expect(relativeError(solution, choleskySolve(data.M, b))).toBeLessThan(1e-11)
  })

  shows('Frames and Jacobians', ({ model, state, data, palm, p, J, velocity, Jdotv }) => {
    expect(p).toEqual(data.p_WB[palm.body])
    expect(relativeError(product(J, state.v), velocity)).toBeLessThan(1e-13)
    dynamics.accelerations(model, state, new Float64Array(model.nv), data)
    const acceleration = filled(6, (out) => dynamics.frameAcceleration(data, palm, out))
    expect(relativeError(Jdotv, acceleration)).toBeLessThan(1e-12)
  })

  shows('Accelerations, as an accelerometer reads them', ({ motion, reading }) => {
    expect(reading[2] - motion[5]).toBeCloseTo(9.81, 14)
  })

  shows('Centre of mass and centroidal momentum', ({ model, state, G, JG, h, AG }) => {
    expect(relativeError(product(AG, state.v), h)).toBeLessThan(1e-12)
    const speed = product(JG, state.v).map((x) => x * dynamics.totalMass(model))
    expect(relativeError(speed, h.subarray(3))).toBeLessThan(1e-12)
    expect(G[2]).toBeGreaterThan(0.2)
  })

  shows('Energy and power', ({ data, state, model, kinetic, mechanical, motors, watts }) => {
    dynamics.crba(model, data)
    const twice = product(data.M, state.v).reduce((sum, x, k) => sum + x * state.v[k], 0)
    expect(kinetic).toBeCloseTo(twice / 2, 12)
    expect(mechanical).toBeGreaterThan(kinetic)
    expect(watts[0]).toBeCloseTo(motors[0] * (0.3 + 1.5), 12)
    expect(watts[2]).toBeLessThan(0)
  })

  shows('Impulse response', ({ model, data, hand, knock, at, dv, dp }) => {
    const [J, Jp] = [new Float64Array(6 * model.nv), new Float64Array(3 * model.nv)]
    dynamics.crba(model, data)
    dynamics.bodyJacobianW(model, data, hand, J)
    expect(relativeError(dv, choleskySolve(data.M, transposedProduct(J, knock)))).toBeLessThan(1e-10)
    dynamics.pointJacobian(model, data, hand, at, Jp)
    expect(relativeError(dp, product(Jp, dv))).toBeLessThan(1e-12)
    expect(dp[0]).toBeGreaterThan(0)
  })

  shows('Time steps', ({ home, flying }) => {
    expect(flying.t[0]).toBeCloseTo(0.1, 12)
    // nothing holds it: the whole falls g t^2 / 2, the base, which its limbs push, about that
    expect(flying.q[2] - home[2]).toBeCloseTo(-0.5 * 9.81 * 0.1 ** 2, 2)
  })

  shows('Gradients of a step', ({ gradient, byFriction, byMass, byStart }) => {
    // the block slides: its speed is v - mu g t, whatever its mass
    expect(gradient.world.state.v[3]).toBeCloseTo(2 - 0.3 * 9.81 * 0.1, 6)
    expect(byFriction.dv[3]).toBeCloseTo(-9.81 * 0.1, 6)
    expect(byMass.dv[3]).toBeCloseTo(0, 6)
    expect(byStart.dq[3]).toBeCloseTo(0.1, 6)
  })

  shows('A mechanism without a file', ({ alpha }) => {
    expect(alpha[0]).toBeCloseTo(-(9.81 / 0.5) * Math.sin(0.3), 12)
  })

  test('no piece of code is left out', () => {
    expect([...asked].sort()).toEqual([...pieces.keys()].sort())
    expect(text.match(/```ts/g)).toHaveLength(pieces.size)
  })

  test('the tables and the text name every function that answers a question, and none that is not there', () => {
    const table = text.slice(text.indexOf('## All functions'), text.indexOf('## Conventions'))
    for (const [, cell] of table.matchAll(/^\| [^|]+\| ([^|]+)\|/gm)) {
      for (const [, name] of cell.matchAll(/`(\w+)`/g)) expect(dynamics).toHaveProperty(name)
    }
    // texts and sums that others share are no questions either
    const setsUp =
      /^(listed|shortened|Meter|workAsked|dot$|create|bodyFrames|quaternionStart|totalMass|JointType|PassiveJoints|RestFrame|JOINT_STICK_SPEED|HOLD_SPEED)/
    const questions = Object.keys(dynamics).filter((name) => !(name in math) && !setsUp.test(name))
    expect(questions.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
  })
})
