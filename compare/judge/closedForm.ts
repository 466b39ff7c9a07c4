import type { Trajectory } from '../measure/trajectory.ts'
import type { ClosedForm } from '../scenario/index.ts'
import { evaluator, type Program } from '../scenario/index.ts'

/** A motion with its values replaced by those that the closed form states, at its own times; itself without one. */
export function withClosedForm(motion: Trajectory, exact: ClosedForm | undefined): Trajectory {
  if (exact === undefined) return motion
  const { t, kinetic, potential } = motion
  const position = [...motion.position]
  const angles = [...motion.angles]
  const put = (program: Program | undefined, values: number[], width: number, k: number) => {
    if (program === undefined || values.length === 0) return
    const at = evaluator(program)
    t.forEach((time, row) => {
      values[width * row + k] = at(time)
    })
  }
  for (const [k, axis] of (['x', 'y', 'z'] as const).entries()) put(exact[axis], position, 3, k)
  const n = motion.joints.length
  motion.joints.forEach((name, j) => {
    put(Object.hasOwn(exact.joints, name) ? exact.joints[name] : undefined, angles, n, j)
  })
  if (exact.energy === undefined) return { ...motion, position, angles }
  // the parts of the energy are not stated: all of the change is put into the potential
  const change = evaluator(exact.energy)
  const start = kinetic[0] + potential[0]
  return { ...motion, position, angles, potential: t.map((time, row) => start + change(time) - kinetic[row]) }
}
