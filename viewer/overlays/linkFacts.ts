import type { Robot } from '../../robots/index.ts'
import type { Snapshot } from '../runs/protocol.ts'
import { forceOn, newtons } from './contactForces.ts'
import { placesOf } from './trails.ts'

/** One thing that is known of a link. */
interface Fact {
  readonly term: string
  text(snapshot: Snapshot): string
  /** How far it is along a range from 0 to 1, for a bar. */
  part?(snapshot: Snapshot): number
}

/** Facts of a link of a robot: of itself, and as it is in a run. */
export class LinkFacts {
  readonly element = document.createElement('dl')
  private facts: readonly { readonly fact: Fact; readonly text: Text; readonly bar: HTMLMeterElement | undefined }[] = []

  /** @param body -1 for none */
  show(robot: Robot, body: number): void {
    this.element.replaceChildren()
    this.facts = (body > 0 ? factsOf(robot, body) : []).map((fact) => {
      const [term, description] = [document.createElement('dt'), document.createElement('dd')]
      const text = document.createTextNode('')
      term.textContent = fact.term
      description.append(text)
      const bar = fact.part && document.createElement('meter')
      if (bar) {
        bar.ariaLabel = `${fact.term} within its limits`
        description.append(bar)
      }
      this.element.append(term, description)
      return { fact, text, bar }
    })
  }

  update(snapshot: Snapshot): void {
    for (const { fact, text, bar } of this.facts) {
      const words = fact.text(snapshot)
      if (text.data !== words) text.data = words
      const part = fact.part?.(snapshot)
      if (bar && part !== undefined && bar.value !== part) bar.value = part
    }
  }
}

function factsOf(robot: Robot, body: number): Fact[] {
  const { model, joints, freeJoints, mimics, frames } = robot
  const [m, hx, hy, hz, Ixx, Iyy, Izz] = model.I[body]
  const facts: Fact[] = [
    { term: 'link', text: () => model.bodyName[body] },
    { term: 'mass', text: () => `${round(m)} kg` },
  ]
  if (m > 0) {
    const [x, y, z] = [hx / m, hy / m, hz / m]
    const about = [Ixx - m * (y * y + z * z), Iyy - m * (x * x + z * z), Izz - m * (x * x + y * y)]
    facts.push(
      { term: 'centre of mass', text: () => `${[x, y, z].map(round).join(', ')} m in its axes` },
      { term: 'inertia', text: () => `${about.map(round).join(', ')} kg m² about it: xx, yy, zz` },
    )
  }
  const place = (snapshot: Snapshot) =>
    Array.from(placesOf(model, snapshot).origins[body], (value) => value.toFixed(3)).join(', ')
  facts.push({ term: 'origin', text: (snapshot) => `${place(snapshot)} m` })

  const joint = joints.find((one) => one.body === body)
  if (joint) {
    const { name, type, qIndex: q, vIndex: v } = joint
    const [unit, effort] = type === 'prismatic' ? ['m', 'N'] : ['rad', 'N m']
    const [lower, upper, most] = [model.lower[v], model.upper[v], model.effortLimit[v]]
    const isBounded = lower > -Infinity && upper < Infinity && upper > lower
    const range = isBounded ? ` of ${round(lower)} to ${round(upper)}` : ''
    const degrees = (value: number) => (type === 'prismatic' ? '' : ` (${((value * 180) / Math.PI).toFixed(1)}°)`)
    facts.push(
      { term: 'joint', text: () => `${name}, ${type}` },
      {
        term: 'position',
        text: (snapshot) => `${round(snapshot.q[q])} ${unit}${degrees(snapshot.q[q])}${range}`,
        part: isBounded ? (snapshot) => (snapshot.q[q] - lower) / (upper - lower) : undefined,
      },
      { term: 'velocity', text: (snapshot) => `${round(snapshot.v[v])} ${unit}/s` },
      {
        term: 'effort',
        text: (snapshot) => `${round(snapshot.tau[v])} ${effort}${most < Infinity ? ` of ${round(most)}` : ''}`,
        part: most > 0 && most < Infinity ? (snapshot) => Math.abs(snapshot.tau[v]) / most : undefined,
      },
    )
  }
  const free = freeJoints.find((one) => one.body === body)
  if (free) facts.push({ term: 'joint', text: () => `${free.name}, ${free.type}` })
  const mimic = mimics.find((one) => one.body === body)
  const leader = mimic && joints.find((one) => one.name === mimic.follows)
  if (mimic && leader) {
    const { name, type, multiplier, offset, follows } = mimic
    const unit = type === 'prismatic' ? 'm' : 'rad'
    facts.push(
      { term: 'joint', text: () => `${name}, ${type}, ${round(multiplier)} times ${follows}` },
      { term: 'position', text: (snapshot) => `${round(multiplier * snapshot.q[leader.qIndex] + offset)} ${unit}` },
      { term: 'velocity', text: (snapshot) => `${round(multiplier * snapshot.v[leader.vIndex])} ${unit}/s` },
    )
  }

  facts.push({ term: 'contact force', text: (snapshot) => forceText(snapshot, body) })
  const fixed = frames.filter((frame) => frame.body === body && frame.name !== model.bodyName[body])
  if (fixed.length > 0) facts.push({ term: 'fixed to it', text: () => fixed.map(({ name }) => name).join(', ') })
  return facts
}

/** Before the first step there is none. */
const forceText = (snapshot: Snapshot, body: number) =>
  Number.isNaN(snapshot.force) ? '–' : newtons(Math.hypot(...forceOn(snapshot, body)))

const round = (value: number) => (Number.isFinite(value) ? `${Number(value.toPrecision(3))}` : value > 0 ? '\u221e' : '-\u221e')
