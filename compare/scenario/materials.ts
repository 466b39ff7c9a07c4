/** Friction and restitution of pairs of materials, with their sources. docs/materials.md is made from this (`npm run docs`). */

export const materialSources = {
  S: 'Serway and Beichner, Physics for Scientists and Engineers, 5th edition, Table 5.2',
  H: 'S. A. Hill, [Coefficients of friction](http://howwhy.nfshost.com/new/book1/motion/coefficients.html), 2022',
  F: 'The Physics Factbook, [Coefficients of friction for rubber](http://hypertextbook.com/facts/2006/MatthewMichaels.shtml), 2006, which quotes five tables',
  L: 'Lust CDA3000 Engineering Guide, Table 7.21',
  P: '[Physics Fundamentals](https://ecampusontario.pressbooks.pub/physicsfundamentals/back-matter/appendix), eCampusOntario, Table A.1',
  D: "[Engineer's table of friction](https://drill-hq.com/2012/11/coefficient-of-friction), drill-hq, 2012",
  A: '[Autodesk Inventor help](https://help.autodesk.com/cloudhelp/2016/ENU/Inventor-Help/files/GUID-42FECEEA-1F24-4470-AA60-5C358AA88A86.htm), friction of screw and gear pairs',
  T: 'ThinkQuest, [Friction](http://library.thinkquest.org/15433/unit2/2-5.htm), Table 2.1',
  B: 'The Physics Factbook, Coefficients of restitution, 2006, as quoted by [Phun](http://www.phunland.com/wiki/Restitution)',
} as const

/** The used value, and in brackets the range of the sources; static friction, sliding friction, restitution; `-`: no source. */
const table = `
rubber, concrete, dry | 1 (0.6-4)        | 0.75 (0.6-0.85)  | -    | S F H
rubber, concrete, wet | 0.6 (0.3-0.75)   | 0.45 (0.25-0.75) | -    | F H
rubber, solid, dry    | 1 (1-4)          | 1                | -    | T
tyre, asphalt, dry    | 0.72             | -                | -    | P
shoe, wood, dry       | 0.9              | 0.7              | -    | H
steel, steel, dry     | 0.6 (0.12-0.78)  | 0.4 (0.08-0.57)  | -    | S H L D
steel, steel, oiled   | 0.12 (0.05-0.35) | 0.06 (0.03-0.25) | -    | H T L
aluminium, steel, dry | 0.61             | 0.47             | -    | S P D
aluminium, aluminium, dry | 1.2 (1.05-1.35) | 0.4 (0.4-1.4) | -    | P D
brass, steel, dry     | 0.51             | 0.44             | -    | P
copper, steel, dry    | 0.53             | 0.36             | -    | S P D
cast iron, steel, dry | 0.4              | 0.23             | -    | P
wood, steel, dry      | 0.5 (0.45-0.75)  | 0.35 (0.3-0.6)   | -    | H L
wood, wood, dry       | 0.5 (0.25-0.75)  | 0.3 (0.2-0.5)    | -    | H L T
glass, glass, dry     | 0.95 (0.9-1)     | 0.4              | -    | D
glass, metal, dry     | 0.6 (0.5-0.7)    | -                | -    | P D
plastic, steel, dry   | 0.3 (0.2-0.45)   | 0.25 (0.18-0.35) | -    | L
acrylic, steel, dry   | 0.45 (0.4-0.5)   | -                | -    | A
PTFE, steel, dry      | 0.04             | 0.04             | -    | H T
ice, steel, dry       | 0.4              | 0.02             | -    | H
steel ball, hard floor, dry   | -        | -                | 0.6  | B
glass marble, hard floor, dry | -        | -                | 0.66 | B
tennis ball, hard floor, dry  | -        | -                | 0.71 | B
golf ball, hard floor, dry    | -        | -                | 0.86 | B`

export type MaterialPair = (typeof materialPairs)[number]

export const materialPairs = table
  .trim()
  .split('\n')
  .map((line) => {
    const [names, ...cells] = line.split('|').map((cell) => cell.trim())
    const [a, b, state] = names.split(', ')
    const [staticFriction, sliding, restitution] = cells.map((cell) => (cell === '-' ? undefined : Number.parseFloat(cell)))
    const stated = { friction: sliding ?? staticFriction, staticFriction, restitution }
    const surface: Partial<typeof stated> = Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined))
    return {
      materials: [a, b] as const,
      state,
      /** Cells of the table. */
      shown: cells.slice(0, 3),
      sources: cells[3].split(' ') as (keyof typeof materialSources)[],
      /** For a scenario: sliding friction is the static one where no source states it. */
      surface,
    }
  })

/** @param names two materials, either first, and a state other than dry */
export const materialPair = ([a, b, state = 'dry']: readonly string[]): MaterialPair | undefined =>
  materialPairs.find(({ materials: [x, y], state: own }) => own === state && ((a === x && b === y) || (a === y && b === x)))
