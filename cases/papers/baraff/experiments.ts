import type { Part } from '../page.ts'
import { frictionPart, staticPart } from './friction.ts'
import { frictionlessPart } from './frictionless.ts'
import { impactClaims } from './impactClaims.ts'
import { methodClaims } from './methods.ts'
import { choiceClaim, painlevePart } from './painleve.ts'
import { particlePart } from './particle.ts'
import { optimisationClaim, penaltyPart } from './penalty.ts'
import { coherenceClaim, pivotClaim } from './pivots.ts'
import { robotClaims } from './robots.ts'
import { timePart } from './timeOfContact.ts'

/** All that D. Baraff, Non-penetrating Rigid Body Simulation, Eurographics '93 State of the Art Reports, says that can be tried. The same numbers at every call. */
export function reproduceBaraff(progress?: (what: string, fraction: number) => void) {
  let done = 0
  const part = <T>(what: string, run: () => T): T => {
    progress?.(what, done++ / 11)
    return run()
  }
  const collisions = part('time of contact', timePart)
  const path = part('the particle on a surface', particlePart)
  const forces = part('frictionless forces', frictionlessPart)
  const springs = part('the penalty method', penaltyPart)
  const friction = part('friction', frictionPart)
  const impacts = part('impacts', impactClaims)
  const paradox = part('Painlevé’s rod', painlevePart)
  const statics = part('static friction', staticPart)
  const rest = [
    ...part('superseded methods', methodClaims),
    ...part('solvers', () => [optimisationClaim(), choiceClaim(), pivotClaim(), coherenceClaim()]),
    ...part('robots', robotClaims),
  ]
  const parts: Part[] = [collisions, path, forces, springs, friction, impacts, paradox, statics]
  return {
    claims: [...parts.flatMap(({ claims }) => claims), ...rest],
    figures: parts.flatMap(({ figures = [] }) => figures),
    /** Of each model: the slide off the sphere at three steps. */
    slides: path.slides,
    sticking: friction.sticking,
    /** Of each model: one answer, inconsistent, indeterminate, and that by coordinates of the middle. */
    branches: paradox.branches,
    impacts: impacts.impacts,
    shots: collisions.shots,
    configurations: statics.configurations,
  }
}

/** `--json` prints it beside the claims. */
export type BaraffReproduction = ReturnType<typeof reproduceBaraff>
