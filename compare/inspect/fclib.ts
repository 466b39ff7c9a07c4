/** Problems of contact for FCLib, the collection of problems of Acary, Brémond, Koziara and Pérignon (Inria RT-0444, 2014). */
import { GroupKind, type SavedProblem } from '../../contact/index.ts'
import { ContactSystem } from '../answers/contactSystem.ts'
import { ProblemFileError } from './problemFile.ts'

/**
 * The tree of FCLib's `fclib_local` in JSON, as its HDF5 files have it: W as triplets, q and mu, rows normal, tangent 1, tangent 2 a contact.
 *
 * @throws ProblemFileError for rows that are no contacts with Coulomb's friction
 */
export function fclibText(saved: SavedProblem): string {
  if (saved.constraints !== undefined) throw new ProblemFileError('constraints with alternatives have no place in FCLib')
  const { problem } = new ContactSystem(saved)
  const { rowCount: n, W, rhs, groupCount, kind, limit } = problem
  const strange = [...kind].findIndex((one) => one !== GroupKind.frictional)
  if (strange >= 0)
    throw new ProblemFileError(
      `${strange < saved.mu.length ? `contact ${strange} without Coulomb's friction` : `rows[${strange - saved.mu.length}], which is no contact,`} has no place in FCLib`,
    )
  const entries = [...W.subarray(0, n * n)].flatMap((x, k) => (x === 0 ? [] : [{ i: Math.floor(k / n), p: k % n, x }]))
  const column = <K extends 'i' | 'p' | 'x'>(key: K) => entries.map((entry) => entry[key])
  const { note = '' } = saved.origin ?? {}
  return `${JSON.stringify(
    {
      fclib_local: {
        spacedim: 3,
        info: {
          title: 'Featherbed',
          description: String(note),
          math_info: 'velocity = W r + q; gaps and stabilization are part of q',
        },
        W: { m: n, n, nzmax: entries.length, nz: entries.length, i: column('i'), p: column('p'), x: column('x') },
        vectors: { q: [...rhs.subarray(0, n)], mu: [...limit.subarray(0, groupCount)] },
      },
    },
    null,
    1,
  )}\n`
}
