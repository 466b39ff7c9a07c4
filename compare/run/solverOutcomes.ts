import { grouped } from '../measure/grouped.ts'

/** How often a solver was asked in a run, and how that ended. */
export interface SolverOutcome {
  readonly name: string
  readonly solved: number
  readonly failed: number
}

/** The chains that a model's solvers make: names of another than the first begin with a word and a slash, as `projection/lemke`. */
export function chainsOf(solvers: readonly SolverOutcome[]): SolverOutcome[][] {
  return [...grouped(solvers, ({ name }) => name.slice(0, name.lastIndexOf('/') + 1)).values()]
}

/** Chains in words, each solver asked where those before it failed: `mode-guess solved 998, failed 2; then lemke solved 2`. */
export function chainText(solvers: readonly SolverOutcome[]): string {
  return chainsOf(solvers)
    .map((chain) => {
      const last = chain.findLastIndex(({ solved, failed }) => solved + failed > 0)
      const idle = chain.slice(last + 1).map(({ name }) => name)
      return [
        ...(last < 0
          ? []
          : [
              chain
                .slice(0, last + 1)
                .map(solverText)
                .join('; then '),
            ]),
        ...(idle.length > 0 ? [`${idle.join(', ')} not asked`] : []),
      ].join('; ')
    })
    .join(' | ')
}

function solverText({ name, solved, failed }: SolverOutcome): string {
  const counts = [...(solved > 0 || failed === 0 ? [`solved ${solved}`] : []), ...(failed > 0 ? [`failed ${failed}`] : [])]
  return `${name} ${counts.join(', ')}`
}

/** The chains of several runs of one model as one. */
export function summedChain(chains: readonly (readonly SolverOutcome[])[]): SolverOutcome[] {
  const sums = new Map<string, SolverOutcome>()
  for (const { name, solved, failed } of chains.flat()) {
    const sum = sums.get(name) ?? { name, solved: 0, failed: 0 }
    sums.set(name, { name, solved: sum.solved + solved, failed: sum.failed + failed })
  }
  return [...sums.values()]
}
