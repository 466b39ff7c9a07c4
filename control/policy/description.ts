import * as z from 'zod'
import { ControllerError } from '../controllerError.ts'
import type { PolicyDescription } from './policy.ts'

const one = z.number()
const each = z.union([one, z.array(one)])
const fields = z.strictObject({
  rate: one.positive().optional(),
  servoRate: one.positive().optional(),
  output: z.enum(['joints', 'ctrl']).optional(),
  actionType: z.enum(['position', 'velocity', 'effort']).optional(),
  historyOrder: z.enum(['terms', 'frames']).optional(),
  joints: z.array(z.string()).min(1).optional(),
  stiffness: each.optional(),
  damping: each.optional(),
  pose: each.optional(),
  actionScale: each.optional(),
  actionOffset: each.optional(),
  actionClip: one.positive().optional(),
  observations: z
    .array(
      z.strictObject({
        name: z.string(),
        size: z.int().positive().optional(),
        scale: each.optional(),
        clip: z.union([one.positive(), z.tuple([one, one])]).optional(),
        history: z.int().positive().optional(),
      }),
    )
    .min(1)
    .optional(),
  phasePeriod: one.positive().optional(),
  command: z.array(one).length(3).optional(),
})

/** @throws ControllerError with all errors of a description, each with its place */
export function checkedDescription(stated: unknown, file: string): Partial<PolicyDescription> {
  const read = fields.safeParse(stated)
  if (read.success) return read.data
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.') || 'the description'}: ${message}`)
  throw new ControllerError(file, problems.join('; '))
}
