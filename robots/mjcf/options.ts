import type { MujocoSolver, Triple } from '../description.ts'
import type { Reader } from '../elements/index.ts'
import { join } from '../files/resolve.ts'
import type { XmlElement } from '../xml.ts'

/** `<compiler>` and `<option>`. */
export type Compiler = Readonly<ReturnType<typeof readOptions>>

/** Of `<flag>`: what does not act where it says `disable`. */
const switches = {
  contact: 'no shape touches another',
  equality: 'couplings and loops do not hold',
  limit: 'joints have no limits',
  frictionloss: 'joints have no dry friction',
  spring: 'joints have no springs',
  damper: 'joints have no dampers',
  actuation: 'actuators give no force',
  clampctrl: 'control inputs are not clamped',
} as const

type Switch = keyof typeof switches

/** Of `<flag>`, those that stand for several. */
const together: Readonly<Record<string, readonly Switch[]>> = {
  constraint: ['contact', 'equality', 'limit', 'frictionloss'],
  passive: ['spring', 'damper'],
}

/** MuJoCo's step of the file, with its defaults. */
function solverOf(reader: Reader, option: XmlElement): MujocoSolver {
  const what = '<option>'
  const word = <T extends string>(name: string, allowed: readonly T[], otherwise: T): T => {
    const text = option.attributes[name]
    if (text === undefined || (allowed as readonly string[]).includes(text)) return (text as T | undefined) ?? otherwise
    reader.findings.error('option', option, what, `${name}="${text}" is unknown.`, `Expected one of ${allowed.join(', ')}.`)
    return otherwise
  }
  return {
    timestep: reader.optional(option, 'timestep', what, 0.002) ?? 0.002,
    integrator: word('integrator', ['Euler', 'RK4', 'implicit', 'implicitfast', 'discrete'], 'Euler'),
    cone: word('cone', ['pyramidal', 'elliptic'], 'pyramidal'),
    impratio: reader.optional(option, 'impratio', what, 1) ?? 1,
  }
}

function switchedOff({ findings }: Reader, flags: readonly XmlElement[]): ReadonlySet<Switch> {
  const stated: Record<string, string> = Object.assign(Object.create(null), ...flags.map(({ attributes }) => attributes))
  const isOff = (name: string) => stated[name] === 'disable'
  const off = new Set((Object.keys(switches) as Switch[]).filter(isOff))
  for (const [name, all] of Object.entries(together)) if (isOff(name)) for (const each of all) off.add(each)
  if (off.size > 0)
    findings.info('flags-off', flags[0], '<flag>', `${[...off].map((each) => switches[each]).join('; ')}.`, 'As in MuJoCo.')
  return off
}

/** Attributes of all `<compiler>` and of all `<option>`, the last of a name; each `<flag>`; and the last of these elements. */
function statedIn({ account }: Reader, root: XmlElement) {
  const stated: Record<string, string> = Object.create(null)
  const options: Record<string, string> = Object.create(null)
  const flags: XmlElement[] = []
  let place = root
  for (const element of root.children) {
    if (element.name === 'compiler') Object.assign(stated, element.attributes)
    else if (element.name === 'option') {
      Object.assign(options, element.attributes)
      for (const flag of element.children) {
        if (flag.name !== 'flag') continue
        account.use(flag)
        flags.push(flag)
      }
    } else continue
    account.use(element)
    place = element
  }
  return { stated, options, flags, place }
}

export function readOptions(reader: Reader, root: XmlElement) {
  const { findings } = reader
  const { stated, options, flags, place } = statedIn(reader, root)
  const compiler: XmlElement = { ...place, name: 'compiler', attributes: stated }
  const what = '<compiler>'
  const choice = <T extends string>(name: string, allowed: readonly T[], otherwise: T): T => {
    const text = stated[name]
    if (text === undefined || (allowed as readonly string[]).includes(text)) return (text as T | undefined) ?? otherwise
    findings.error('option', place, what, `${name}="${text}" is unknown.`, `Expected one of ${allowed.join(', ')}.`)
    return otherwise
  }
  const flag = (name: string, otherwise: boolean) =>
    choice(name, ['true', 'false'], String(otherwise) as 'true' | 'false') === 'true'
  const sequence = stated.eulerseq ?? 'xyz'
  if (!/^[xyzXYZ]{3}$/.test(sequence)) {
    findings.error('option', place, what, `eulerseq="${sequence}" is not three letters of x, y, z.`, 'Such as xyz or ZYX.')
  }
  if (stated.coordinate === 'global') {
    findings.error(
      'option',
      place,
      what,
      'coordinate="global" was removed from MJCF.',
      'Save the file anew with MuJoCo 2.3.2 or before.',
    )
  }
  const groups = stated.inertiagrouprange === undefined ? [0, 5] : reader.numbers(compiler, 'inertiagrouprange', 2, what)
  const option = { ...place, attributes: options }
  const vector = (name: string, otherwise: Triple): Triple =>
    options[name] === undefined ? otherwise : (reader.triple(option, name, '<option>') ?? otherwise)
  const stands = flags.some(({ attributes }) => attributes.gravity === 'disable')
  const gravity: Triple = stands ? [0, 0, 0] : vector('gravity', [0, 0, -9.81])
  const solver = solverOf(reader, option)
  const strip = flag('strippath', false)
  const pathIn = (folder: string | undefined) => (file: string) => {
    const name = strip ? file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1) : file
    return folder === undefined || /^(\/|[a-z]:|[a-z]+:\/\/)/i.test(name) ? name : join(folder.replace(/\/+$/, ''), name)
  }
  return {
    unit: choice('angle', ['degree', 'radian'], 'degree') === 'degree' ? Math.PI / 180 : 1,
    sequence: /^[xyzXYZ]{3}$/.test(sequence) ? sequence : 'xyz',
    autolimits: flag('autolimits', true),
    inertiaFromGeom: choice('inertiafromgeom', ['true', 'false', 'auto'], 'auto'),
    inertiaGroups: [groups?.[0] ?? 0, groups?.[1] ?? 5] as const,
    balanceInertia: flag('balanceinertia', false),
    boundMass: reader.optional(compiler, 'boundmass', what, 0) ?? 0,
    boundInertia: reader.optional(compiler, 'boundinertia', what, 0) ?? 0,
    /** [kg]; the masses stay where it is not positive. */
    totalMass: reader.optional(compiler, 'settotalmass', what, -1) ?? -1,
    discardVisual: flag('discardvisual', false),
    gravity,
    /** Whether a body and the one that carries it never touch. */
    filterParent: flags.every(({ attributes }) => attributes.filterparent !== 'disable'),
    /** Magnetic flux of the world, for magnetometers. */
    magnetic: vector('magnetic', [0, -0.5, 0]),
    solver,
    /** All attributes of `<option>`. */
    options: { ...option, name: 'option' },
    /** Switched off by `<flag>`. */
    off: switchedOff(reader, flags),
    /** Groups of actuators that give no force. */
    actuatorsOff: new Set(
      options.actuatorgroupdisable === undefined ? [] : reader.numbers(option, 'actuatorgroupdisable', undefined, '<option>'),
    ),
    /** The path of a mesh file, with its folder. */
    meshPath: pathIn(stated.meshdir ?? stated.assetdir),
    texturePath: pathIn(stated.texturedir ?? stated.assetdir),
  }
}
