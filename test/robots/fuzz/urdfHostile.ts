/**
 * Run by urdfHostile.test.ts in a process of its own: MOST. Inputs made to do harm, of at most so many characters, each with
 * what has to come of it.
 */
import { memoryResolver, type Resolver } from '../../../robots/index.ts'
import { utf8 } from './meshesSamples.ts'
import { tryInputs } from './tryInputs.ts'
import { loadAndMove } from './urdfLoad.ts'

type Outcome = 'Robot' | 'RobotError' | 'either'

interface Hostile {
  readonly name: string
  readonly text: () => string
  /** What may come of it: for some, what counts is that something does, in time. */
  readonly outcome: Outcome
  readonly strict?: boolean
  readonly srdf?: () => string
  readonly files?: () => Readonly<Record<string, string>>
}

const count = (n: number, make: (k: number) => string) => Array.from({ length: n }, (_, k) => make(k)).join('')
const robot = (inside: string) => `<robot name="r">${inside}</robot>`
const inertial = '<inertial><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.02"/></inertial>'
const link = (name: string, inside = inertial) => `<link name="${name}">${inside}</link>`
const joint = (name: string, parent: string, child: string, type = 'continuous', inside = '') =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/>${inside}</joint>`
const ball = (x: number, y: number, z: number, radius = 0.1) =>
  `<collision><origin xyz="${x} ${y} ${z}"/><geometry><sphere radius="${radius}"/></geometry></collision>`

/** A chain of n links. */
function chain(n: number, type = 'continuous', inside = inertial, more: (k: number) => string = () => ''): string {
  return robot(
    count(n, (k) => link(`l${k}`, inside)) + count(n - 1, (k) => joint(`j${k + 1}`, `l${k}`, `l${k + 1}`, type, more(k + 1))),
  )
}

/** As the name of an element or as a value. */
const long = 'x'.repeat(1_000_000)
const mjcf = (body: string, before = '', beside = '') =>
  `<mujoco>${before}<worldbody><body name="b">${body}</body>${beside}</worldbody></mujoco>`
const sdf = (inside: string) => `<sdf version="1.9"><model name="m">${inside}</model></sdf>`
const selves = () => ({
  '/p/self.xml': '<mujoco><include file="self.xml"/><include file="self.xml"/></mujoco>',
  '/p/self.sdf': sdf('<include><uri>self.sdf</uri></include><include><uri>self.sdf</uri></include>'),
})
const xacro = (inside: string) => `<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">${inside}</robot>`
const expression = (text: string) => `$` + `{${text}}`
/** A robot whose mass is what an expression gives. */
const evaluated = (text: string) =>
  xacro(`<link name="a"><inertial><mass value="${expression(text)}"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>`)
const million = 1_000_000

const makerOf =
  (outcome: Outcome) =>
  (name: string, text: () => string, more: Partial<Hostile> = {}): Hostile => ({ name, text, outcome, ...more })
const refused = makerOf('RobotError')
const loaded = makerOf('Robot')
const either = makerOf('either')

const inputs: readonly Hostile[] = [
  // XML
  refused('200,000 nested tags', () => '<a>'.repeat(200_000)),
  refused('200,000 nested tags, closed', () => robot('<a>'.repeat(200_000) + '</a>'.repeat(200_000))),
  either('199,990 elements side by side', () => robot(link('a') + '<b/>'.repeat(199_990))),
  refused('250,000 elements side by side', () => robot(link('a') + '<b/>'.repeat(250_000))),
  refused('900,000 attributes', () => robot(`<link name="a" ${count(900_000, (k) => ` a${k}=""`)}/>`)),
  refused('900,000 attributes of the root', () => `<robot ${count(900_000, (k) => ` a${k}=""`)}><link name="a"/></robot>`),
  refused('400,000 attributes that look like origin', () =>
    robot(`<link name="a"><visual><origin ${count(400_000, (k) => ` xy${k}=""`)}/></visual></link>`),
  ),
  loaded('a name of 9 MB', () => robot(link('x'.repeat(9 * million)))),
  refused('a type of 9 MB', () => robot(link('a') + link('b') + joint('j', 'a', 'b', 'x'.repeat(9 * million)))),
  refused('4.5 million numbers', () =>
    robot(`<link name="a"><visual><origin xyz="${'0 '.repeat(4.5 * million)}"/></visual></link>`),
  ),
  refused('a number of 9 MB', () =>
    robot(`<link name="a"><inertial><mass value="${'9'.repeat(9 * million)}"/></inertial></link>`),
  ),
  refused('9 MB of blanks in a number', () =>
    robot(`<link name="a"><inertial><mass value="1${' '.repeat(9 * million)}x"/></inertial></link>`),
  ),
  either('a mesh name of 9 MB', () =>
    robot(
      `<link name="a">${inertial}<collision><geometry><mesh filename="package://${'a/'.repeat(4.5 * million)}x.stl"/></geometry></collision></link>`,
    ),
  ),
  loaded('a mesh name of 100,000 steps up', () =>
    robot(
      `<link name="a">${inertial}<collision><geometry><mesh filename="${'../'.repeat(100_000)}x.stl"/></geometry></collision></link>`,
    ),
  ),
  loaded('a comment of 9 MB', () => robot(`<!--${'x'.repeat(9 * million)}-->${link('a')}`)),
  loaded('a comment of 9 MB of line breaks', () => robot(`<!--${'\n'.repeat(9 * million)}-->${link('a')}`)),
  loaded('a million comments', () => robot(`${'<!---->'.repeat(million)}${link('a')}`)),
  refused('two million comments begun', () => robot(`${'<!--'.repeat(2 * million)}`)),
  refused('a million sections begun', () => robot('<![CDATA['.repeat(million))),
  either('a million sections', () => robot(link('a') + '<![CDATA[]]>'.repeat(800_000))),
  either('a million instructions', () => robot(link('a') + '<?a?>'.repeat(million))),
  refused('9 million <', () => '<'.repeat(9 * million)),
  refused('9 million &', () => robot(link('a') + '&'.repeat(9 * million))),
  either('1.8 million references', () => robot(link('a') + '&amp;'.repeat(1.8 * million))),
  loaded('9 MB of line breaks', () => robot('\n'.repeat(9 * million) + link('a'))),
  loaded('9 MB of text', () => robot('x'.repeat(9 * million) + link('a'))),
  refused('a file of 11 MB', () => robot(' '.repeat(11 * million) + link('a'))),
  refused(
    'a billion laughs',
    () => `<!DOCTYPE robot [<!ENTITY a0 "ha">${count(30, (k) => `<!ENTITY a${k + 1} "&a${k};&a${k};">`)}]>${robot('&a30;')}`,
  ),
  refused('an entity from a file', () => `<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]>${robot(link('&x;'))}`),
  refused('an entity of parameters', () => `<!DOCTYPE robot [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]>${robot(link('a'))}`),
  refused('a second root', () => robot(link('a')) + robot(link('b'))),
  refused('a thousand roots', () => robot(link('a')).repeat(1000)),
  refused('text after the root', () => `${robot(link('a'))}text`),
  either('NUL as a reference', () => robot(link('a&#x0;b'))),
  refused('NUL first', () => `\0${robot(link('a'))}`),
  either('NUL between', () => robot(`\0${link('a\0b')}\0`)),
  refused('nothing but NULs', () => '\0'.repeat(million)),
  loaded('lone surrogates', () => robot(link('\ud800') + link('\udc00') + joint('\ud800', '\ud800', '\udc00'))),
  either('a lone surrogate as a reference', () => robot(link('&#xD800;'))),
  either('a reference beyond Unicode', () => robot(link('&#x110000;'))),
  either('a reference of a million digits', () => robot(link(`&#${'9'.repeat(million)};`))),
  loaded('an attribute __proto__', () => robot('<link name="a" __proto__="b" constructor="c" hasOwnProperty="d"/>')),
  loaded('elements __proto__ and constructor', () => robot(`<__proto__/><constructor/><toString/><hasOwnProperty/>${link('a')}`)),

  // names
  ...['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf', '__defineGetter__', ''].map(
    (name): Hostile => ({
      name: `links, joints, frames, materials and groups called ${JSON.stringify(name)}`,
      text: () =>
        robot(
          `<material name="${name}"><color rgba="1 0 0 1"/></material>${link(name, `${inertial}<visual><geometry><sphere radius="1"/></geometry><material name="${name}"/></visual>`)}${link('b')}` +
            joint(name, name, 'b') +
            `<frame name="f" link="${name}"/><gazebo reference="${name}"><mu1>1</mu1></gazebo>` +
            `<transmission name="${name}"><joint name="${name}"/><actuator name="${name}"/></transmission>`,
        ),
      outcome: name === '' ? 'RobotError' : 'Robot',
      srdf: () =>
        `<robot name="r"><group name="${name}"><joint name="${name}"/></group><group_state name="${name}" group="${name}"><joint name="${name}" value="1"/></group_state><disable_collisions link1="${name}" link2="b"/></robot>`,
    }),
  ),
  refused(
    'a name of 4 MB in 2,000 findings, strictly',
    () =>
      robot(
        link(
          'x'.repeat(4 * million),
          inertial + count(2000, (k) => `<collision><geometry><mesh filename="${k}.stl"/></geometry></collision>`),
        ),
      ),
    { strict: true },
  ),
  refused('a name of 4 MB in findings of everything', () =>
    robot(
      `<link name="${'x'.repeat(4 * million)}"><inertial><mass value="-1"/><inertia ixx="1" iyy="9" izz="1"/></inertial></link>`,
    ),
  ),
  refused('40,000 errors', () =>
    robot(
      link(
        'a',
        count(40_000, () => '<collision><origin xyz="a"/></collision>'),
      ),
    ),
  ),

  // sizes
  refused('1,001 links', () => chain(1001)),
  loaded('a chain of 1,000 links', () => chain(1000)),
  loaded('a chain of 1,000 fixed links', () => chain(1000, 'fixed')),
  loaded('a chain of 1,000 floating links', () => chain(1000, 'floating')),
  loaded('a chain of 1,000 links without mass', () => chain(1000, 'continuous', '')),
  loaded('a star of 1,000 links', () => robot(link('c') + count(999, (k) => link(`l${k}`) + joint(`j${k}`, 'c', `l${k}`)))),
  loaded('1,000 links in one place', () => chain(1000, 'continuous', inertial + ball(0, 0, 0))),
  loaded('1,000 joints that follow one another', () =>
    chain(1000, 'continuous', inertial, (k) => (k > 1 ? `<mimic joint="j${k - 1}" multiplier="1.1"/>` : '')),
  ),
  loaded('999 joints that follow each other in a circle', () =>
    chain(1000, 'continuous', inertial, (k) => `<mimic joint="j${k === 1 ? 999 : k - 1}"/>`),
  ),
  loaded('a circle of 500 joints with names of 4,000 characters', () => {
    const long = (k: number) => `${'x'.repeat(4000)}${k}`
    return robot(
      link('l0') +
        count(
          500,
          (k) =>
            link(`l${k + 1}`) + joint(long(k), `l${k}`, `l${k + 1}`, 'continuous', `<mimic joint="${long((k + 1) % 500)}"/>`),
        ),
    )
  }),
  refused('1,000 links without a joint', () => robot(count(1000, (k) => link(`l${k}`)))),
  refused('60,000 joints', () => robot(link('a') + count(60_000, () => joint('j', 'a', 'a')))),
  loaded('20,000 collisions on a link', () => robot(link('a', inertial + count(20_000, (k) => ball(k, 0, 0))))),
  loaded('20,000 collisions on a link without mass', () =>
    robot(
      link(
        'a',
        count(20_000, (k) => ball(k % 200, Math.floor(k / 200), 0)),
      ),
    ),
  ),
  loaded('two links with 10,000 collisions each, all of them apart', () =>
    robot(
      link('a', inertial + count(10_000, (k) => ball(k, 0, 0))) +
        link('b', inertial + count(10_000, (k) => ball(k, 0.5, 0))) +
        joint('j', 'a', 'b'),
    ),
  ),
  loaded('1,000 links with 15 collisions each in one place', () =>
    chain(1000, 'continuous', inertial + count(15, (k) => ball(k, 0, 0))),
  ),
  loaded('20,000 meshes that are not there', () =>
    robot(
      link(
        'a',
        inertial +
          count(20_000, (k) => `<collision><geometry><mesh filename="package://p${k}/${k}.stl"/></geometry></collision>`),
      ),
    ),
  ),
  loaded(
    'one mesh at 10,000 scales',
    () =>
      robot(
        link(
          'a',
          inertial +
            count(10_000, (k) => `<collision><geometry><mesh filename="a.obj" scale="${k + 1} 1 1"/></geometry></collision>`),
        ),
      ),
    { files: () => ({ '/p/a.obj': `${count(300, (k) => `v ${Math.sin(k)} ${Math.cos(k)} ${Math.sin(7 * k)}\n`)}f 1 2 3\n` }) },
  ),
  loaded('1,000 links that collide with nothing of their own', () =>
    chain(1000, 'continuous', inertial + ball(0, 0, 0)).replace(
      '</robot>',
      `${count(1000, (k) => `<gazebo reference="l${k}"><selfCollide>0</selfCollide></gazebo>`)}</robot>`,
    ),
  ),
  loaded('190,000 materials', () => robot(link('a') + count(190_000, (k) => `<material name="m${k % 2}"/>`))),
  loaded('60,000 transmissions of one joint', () =>
    robot(
      link('a') +
        link('b') +
        joint('j', 'a', 'b') +
        count(60_000, () => '<transmission name="t"><joint name="j"/><actuator name="m"/></transmission>'),
    ),
  ),
  either('100,000 frames', () => robot(link('a') + count(100_000, (k) => `<frame name="f${k}" link="a"/>`))),
  refused('groups of 1,000 links that ignore each other', () =>
    chain(1000).replace(
      '</robot>',
      `${count(90, (g) => `<drake:collision_filter_group name="g${g}">${count(1000, (k) => `<drake:member link="l${k}"/>`)}${count(90, (k) => `<drake:ignored_collision_filter_group name="g${k}"/>`)}</drake:collision_filter_group>`)}</robot>`,
    ),
  ),
  refused('an SRDF of 60,000 poses for 1,000 links', () => chain(1000), {
    srdf: () => robot(count(60_000, (k) => `<group_state name="p${k}" group="g"><joint name="j1" value="1"/></group_state>`)),
  }),
  either('an SRDF with poses of 190,000 joints', () => chain(1000), {
    srdf: () =>
      robot(
        `<group name="g"/>${count(190, (k) => `<group_state name="p${k}" group="g">${count(999, (j) => `<joint name="j${j + 1}" value="1"/>`)}</group_state>`)}`,
      ),
  }),
  loaded('an SRDF in which 1,000 links collide with nothing', () => chain(1000), {
    srdf: () => robot(count(1000, (k) => `<disable_default_collisions link="l${k}"/>`)),
  }),
  loaded('an SRDF of groups in groups, round and round', () => chain(3), {
    srdf: () =>
      robot(count(1000, (k) => `<group name="g${k}">${count(100, (j) => `<group name="g${(k + j) % 1000}"/>`)}</group>`)),
  }),

  // numbers
  ...['1e-300', '5e-324', '1e-30', '1e12'].map(
    (mass): Hostile =>
      either(`a mass of ${mass} kg`, () =>
        robot(
          link('a', `<inertial><mass value="${mass}"/><inertia ixx="${mass}" iyy="${mass}" izz="${mass}"/></inertial>`) +
            link('b') +
            joint('j', 'a', 'b') +
            link('c') +
            joint('k', 'b', 'c'),
        ),
      ),
  ),
  either('moments of 1e15 and of 1e-300', () =>
    robot(
      link('a', '<inertial><mass value="1"/><inertia ixx="1e15" iyy="1e15" izz="1e-300"/></inertial>') +
        link('b', '<inertial><mass value="1"/><inertia ixx="1e-300" iyy="1e-300" izz="1e-300"/></inertial>') +
        joint('j', 'a', 'b'),
    ),
  ),
  either('a chain of 1,000 links a million kilometres apart', () =>
    chain(1000, 'continuous', inertial, () => '<origin xyz="1e9 0 0"/>'),
  ),
  either('angles of 1e300', () => chain(3, 'continuous', inertial, () => '<origin rpy="1e300 1e308 -1e300"/>')),
  either('shapes of a million kilometres', () =>
    robot(link('a', '<collision><geometry><box size="1e9 1e9 1e9"/></geometry></collision>')),
  ),
  either('shapes of a picometre', () =>
    robot(link('a', '<collision><geometry><box size="1e-300 1e-300 1e-300"/></geometry></collision>')),
  ),
  either('limits of 1e308', () =>
    chain(2, 'revolute', inertial, () => '<limit lower="1e308" upper="1.7e308" effort="1e308" velocity="1e-308"/>'),
  ),
  loaded('followers at 1e6 to the tenth', () =>
    chain(12, 'continuous', inertial, (k) => (k > 1 ? `<mimic joint="j${k - 1}" multiplier="1e6" offset="1e300"/>` : '')),
  ),

  // places outside of the roots, none of which is read
  ...[
    'package://x/../../../etc/passwd',
    'package://../etc/passwd',
    'package:///etc/passwd',
    'file:///etc/passwd',
    'file://localhost/etc/passwd',
    '../../../../etc/passwd',
    '/etc/passwd',
    '..\\..\\etc\\passwd',
    'package://x/%2e%2e/%2e%2e/etc/passwd',
    'package://p/%252e%252e/etc/passwd',
    'model://x/../../etc/passwd',
    'file:///p/../etc/passwd',
    'file:etc/passwd',
    '/p/\0/../etc/passwd',
    '//etc/passwd',
    '/etc/../etc/passwd',
  ].flatMap((path): Hostile[] => [
    loaded(`the mesh ${path}.stl`, () =>
      robot(link('a', `${inertial}<collision><geometry><mesh filename="${path}.stl"/></geometry></collision>`)),
    ),
    {
      name: `the included file ${path}`,
      text: () => xacro(`<xacro:include filename="${path}"/>${link('a')}`),
      outcome: /^(package|model):/.test(path) ? 'either' : 'RobotError',
    },
    refused(`the YAML file ${path}`, () => evaluated(`xacro.load_yaml('${path.replaceAll('\\', '\\\\')}')['root']`)),
    refused(`the package of ${path}`, () => evaluated(`xacro.load_yaml('$(find ${path})')`)),
  ]),

  // xacro
  refused('a macro that calls itself', () => xacro('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>')),
  refused('two macros that call each other', () =>
    xacro('<xacro:macro name="m"><xacro:n/></xacro:macro><xacro:macro name="n"><xacro:m/></xacro:macro><xacro:m/>'),
  ),
  refused('a macro that defines and calls itself anew', () =>
    xacro('<xacro:macro name="m"><xacro:macro name="m"><xacro:m/></xacro:macro><xacro:call macro="m"/></xacro:macro><xacro:m/>'),
  ),
  refused('macros that grow tenfold ten times', () =>
    xacro(
      `<xacro:macro name="m0"><a/></xacro:macro>${count(10, (k) => `<xacro:macro name="m${k + 1}">${`<xacro:m${k}/>`.repeat(10)}</xacro:macro>`)}<xacro:m10/>`,
    ),
  ),
  refused('macros that grow tenfold and give nothing', () =>
    xacro(
      `<xacro:macro name="m0"/>${count(10, (k) => `<xacro:macro name="m${k + 1}">${`<xacro:m${k}/>`.repeat(10)}</xacro:macro>`)}<xacro:m10/>`,
    ),
  ),
  refused('blocks that grow twofold forty times', () =>
    xacro(
      `<xacro:macro name="m" params="n *b"><xacro:if value="${expression('n > 0')}"><xacro:m n="${expression('n - 1')}"><c><xacro:insert_block name="b"/><xacro:insert_block name="b"/></c></xacro:m></xacro:if><xacro:insert_block name="b"/></xacro:macro><xacro:m n="40"><d/></xacro:m>`,
    ),
  ),
  refused('a block that holds itself', () =>
    xacro('<xacro:property name="b"><xacro:insert_block name="b"/></xacro:property><xacro:insert_block name="b"/>'),
  ),
  either('150 nested conditions, each with a macro', () =>
    xacro(
      `<xacro:macro name="m" params="*b"><xacro:if value="1"><xacro:insert_block name="b"/></xacro:if></xacro:macro>${'<xacro:m>'.repeat(150)}<a/>${'</xacro:m>'.repeat(150)}${link('a')}`,
    ),
  ),
  refused('properties that need each other', () =>
    xacro(
      `<xacro:property name="a" value="${expression('b')}"/><xacro:property name="b" value="${expression('a')}"/><link name="${expression('a')}"/>`,
    ),
  ),
  refused('a property that needs itself', () =>
    xacro(`<xacro:property name="a" value="${expression('a')}"/><link name="${expression('a')}"/>`),
  ),
  refused('texts doubled sixty times', () =>
    xacro(
      `<xacro:property name="p0" value="ha"/>${count(60, (k) => `<xacro:property name="p${k + 1}" value="${expression(`p${k}`)}${expression(`p${k}`)}"/>`)}<link name="${expression('p60')}"/>`,
    ),
  ),
  refused('lists doubled sixty times', () =>
    xacro(
      `<xacro:property name="p0" value="${expression('[1]')}"/>${count(60, (k) => `<xacro:property name="p${k + 1}" value="${expression(`[p${k}, p${k}]`)}"/>`)}<link name="${expression('str(p60)')}"/>`,
    ),
  ),
  either('a chain of 5,000 properties', () =>
    xacro(
      `<xacro:property name="p0" value="1"/>${count(5000, (k) => `<xacro:property name="p${k + 1}" value="${expression(`p${k} + 1`)}"/>`)}<link name="l${expression('p5000')}"/>`,
    ),
  ),
  loaded('100,000 properties', () =>
    xacro(`${count(100_000, (k) => `<xacro:property name="p${k}" value="${k}"/>`)}${link('a')}`),
  ),
  either('2 million expressions in one attribute', () => xacro(`<link name="${expression('1').repeat(2 * million)}"/>`)),
  either('800,000 arguments in one attribute', () =>
    xacro(`<xacro:arg name="a" default="x"/><link name="${'$(arg a)'.repeat(800_000)}"/>`),
  ),
  refused('a million brackets', () => evaluated('('.repeat(million))),
  refused('a million openings', () => xacro(`<link name="${expression('1').slice(0, 2).repeat(million)}"/>`)),
  refused('a million openings of substitutions', () => xacro(`<link name="${'$('.repeat(million)}"/>`)),
  either('a million dollars', () => xacro(`<link name="${'$'.repeat(million)}a"/>${expression('1')}`)),
  ...[
    'range(10**9)',
    'sum(range(10**9))',
    'list(range(10**9))',
    "'a'*10**9",
    '[0]*10**9',
    '10**10**10',
    '2**(2**40)',
    '1<<10**9',
    'pow(2, 10**9)',
    '9**9**9**9',
    '[x for x in range(1000) for y in range(1000) for z in range(1000)]',
    '[[y for y in range(9999)] for x in range(9999)]',
    '[[[[[[z for z in range(50)] for y in range(50)] for x in range(50)] for w in range(50)] for v in range(50)] for u in range(50)]',
    "'%1000000000d' % 1",
    "'%.1000000000f' % 1",
    "'%*d' % (10**9, 1)",
    "'{:>1000000000}'.format(1)",
    "'{0:{1}}'.format(1, 10**9)",
    "('a'*99999).replace('a', 'b'*99999)",
    "('a'*99999).join(['b']*99999)",
    "' '.join(['x'*99999]*99999)",
    "'a'.ljust(10**9)",
    "'a'.zfill(10**9)",
    "('ab'*49999).split('a')",
    "int('9'*99999)",
    'len(str(10**99999))',
    "float('1e999')",
    "float('nan')",
    '1e308*10',
    '1/0',
    '0.0/0.0',
    '1%0',
    'math.factorial(10**6)',
    '(lambda f: f(f))(lambda f: f(f))',
    'max(max(range(99999)) for x in range(99999))',
    'dict((k, [k]*999) for k in range(99999))',
    '().__class__.__bases__[0].__subclasses__()',
    "''.constructor.constructor('return process')()",
    "[].map.constructor('return this')()",
    '{}.__proto__',
    "{'__proto__': 1}.x",
    "dict(__proto__=1)['a']",
    "__import__('os').system('true')",
    "open('/etc/passwd').read()",
    "eval('1')",
    'globals()',
    'constructor',
    '__proto__',
    'hasOwnProperty',
    'toString',
    'xacro.constructor',
    "xacro.load_yaml('bomb.yaml')['i']",
    "len(str(xacro.load_yaml('bomb.yaml')))",
    "xacro.load_yaml('deep.yaml')",
    "xacro.load_yaml('flow.yaml')",
    "xacro.load_yaml('tagged.yaml')['a']",
    "xacro.load_yaml('self.yaml')['a']",
    "xacro.load_yaml('merge.yaml')['a']",
    "xacro.load_yaml('expression.yaml')['a']",
  ].map((text): Hostile => refused(`the expression ${text}`, () => evaluated(text.replaceAll('<', '&lt;')), { files: yamls })),
  ...[
    ['a sum of a million terms', `1${'+1'.repeat(million)}`],
    ['a million signs', `${'-'.repeat(million)}1`],
    ['a million negations', `${'not '.repeat(million)}1`],
    ['a million powers', `1${'**1'.repeat(million)}`],
    ['a million choices', `${'1 if 1 else '.repeat(million / 2)}1`],
    ['a million attributes', `a${'.a'.repeat(million)}`],
    ['a million indices', `[1]${'[0]'.repeat(million)}`],
    ['a list of a million', `[${'1,'.repeat(million)}]`],
    ['100,000 lists in lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['100,000 functions', `${'lambda: '.repeat(100_000)}1`],
    ['a million digits', '9'.repeat(million)],
    ['a million quotation marks', `''`.repeat(million)],
    ['a million backslashes', `'${'\\'.repeat(million)}'`],
  ].map(([name, text]): Hostile => either(`the expression of ${name}`, () => evaluated(text))),
  refused('a file that includes itself', () => xacro('<xacro:include filename="r.urdf"/>'), {
    files: () => ({ '/p/r.urdf': xacro('<xacro:include filename="r.urdf"/>') }),
  }),
  refused('a file that includes itself ten times', () => xacro('<xacro:include filename="r.urdf"/>'.repeat(10)), {
    files: () => ({ '/p/r.urdf': xacro('<xacro:include filename="r.urdf"/>'.repeat(10)) }),
  }),
  either('an empty file included 100,000 times', () => xacro('<xacro:include filename="e.xacro"/>'.repeat(100_000) + link('a')), {
    files: () => ({ '/p/e.xacro': xacro('') }),
  }),
  either('a file of 9 MB included 1,000 times', () => xacro('<xacro:include filename="e.xacro"/>'.repeat(1000) + link('a')), {
    files: () => ({ '/p/e.xacro': xacro(`<!--${'x'.repeat(9 * million)}-->`) }),
  }),
  refused(
    'a file with a text of 9 MB included 1,000 times',
    () => xacro('<xacro:include filename="e.xacro"/>'.repeat(1000) + link('a')),
    { files: () => ({ '/p/e.xacro': xacro('x'.repeat(9 * million)) }) },
  ),
  refused(
    'a file with an attribute of 9 MB included 1,000 times',
    () => xacro('<xacro:include filename="e.xacro"/>'.repeat(1000) + link('a')),
    { files: () => ({ '/p/e.xacro': xacro(`<a b="${'x'.repeat(9 * million)}"/>`) }) },
  ),
  refused(
    'twelve files of 4 KB, each of which includes the next as often as it can',
    () => xacro('<xacro:include filename="f1.xacro"/>'.repeat(100)),
    {
      files: () =>
        Object.fromEntries(
          Array.from({ length: 12 }, (_, k) => [
            `/p/f${k + 1}.xacro`,
            xacro(k === 11 ? link('a') : `<xacro:include filename="f${k + 2}.xacro"/>`.repeat(100)),
          ]),
        ),
    },
  ),
  refused('1,000 files of 100 KB', () => xacro(count(1000, (k) => `<xacro:include filename="f${k}.xacro"/>`) + link('a')), {
    files: () => {
      const large = xacro('<a/>'.repeat(25_000))
      return Object.fromEntries(Array.from({ length: 1000 }, (_, k) => [`/p/f${k}.xacro`, large]))
    },
  }),
  refused('60,000 files that are not there', () =>
    xacro(count(60_000, (k) => `<xacro:include filename="x${k}.xacro" optional="true"/>`) + link('a')),
  ),
  loaded('60,000 meshes that are not there', () =>
    robot(
      link(
        'a',
        count(60_000, (k) => `<visual><geometry><mesh filename="package://p/x${k}.stl"/></geometry></visual>`),
      ),
    ),
  ),
  loaded(
    '4,000 collisions of one mesh of 2,000 corners',
    () => robot(link('a', inertial + '<collision><geometry><mesh filename="b.obj"/></geometry></collision>'.repeat(4000))),
    { files: () => ({ '/p/b.obj': ballOf(2000) }) },
  ),
  loaded(
    '20 links of 200 collisions of one mesh of 500 corners',
    () => chain(20, 'continuous', inertial + '<collision><geometry><mesh filename="b.obj"/></geometry></collision>'.repeat(200)),
    { files: () => ({ '/p/b.obj': ballOf(500) }) },
  ),
  refused(
    'MJCF: a text of 9 MB as the vertices of 50,000 meshes by their class',
    () =>
      `<mujoco><default><mesh vertex="${'0 1 '.repeat(2 * million)}"/></default><asset>${count(50_000, (k) => `<mesh name="m${k}"/>`)}</asset><worldbody><body><geom size="1"/></body></worldbody></mujoco>`,
  ),
  refused('an included file with a document type', () => xacro('<xacro:include filename="e.xacro"/>'), {
    files: () => ({ '/p/e.xacro': '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot>&x;</robot>' }),
  }),
  either('every file of the folder', () => xacro(`<xacro:include filename="*"/>${link('a')}`), { files: yamls }),
  either('a pattern of a thousand stars', () => xacro(`<xacro:include filename="${'*a'.repeat(1000)}"/>${link('a')}`), {
    files: () => ({ [`/p/${'a'.repeat(20_000)}`]: xacro('') }),
  }),
  either('macros, properties and arguments called __proto__ and constructor', () =>
    xacro(
      `<xacro:property name="__proto__" value="1"/><xacro:property name="constructor" value="2"/><xacro:arg name="__proto__" default="3"/><xacro:macro name="constructor" params="toString __proto__:=4"><link name="l${expression('toString')}${expression('__proto__')}${expression('constructor')}"/></xacro:macro><xacro:constructor toString="9"/>`,
    ),
  ),
  loaded('an element called __proto__ with an attribute of this name', () =>
    xacro(`<xacro:element xacro:name="__proto__"><xacro:attribute name="__proto__" value="1"/></xacro:element>${link('a')}`),
  ),
  either('an element whose name is none', () => xacro(`<xacro:element xacro:name="a b &lt;"/>${link('a')}`)),
  refused('a command', () => xacro(`<link name="$(command ls)"/>`)),
  refused('the environment', () => xacro(`<link name="$(env HOME)"/>`)),
  refused('an evaluation of an import', () => xacro(`<link name="$(eval __import__('os').getcwd())"/>`)),
  either('5,000 parameters', () =>
    xacro(`<xacro:macro name="m" params="${count(5000, (k) => ` p${k}:=^|${k}`)}"><link name="a"/></xacro:macro><xacro:m/>`),
  ),
  either('a parameter list of 9 MB', () =>
    xacro(`<xacro:macro name="m" params="${'p:='.repeat(3 * million)}"/><xacro:m/>${link('a')}`),
  ),
  refused('a root with a name of 1 MB', () => `<${long}/>`),
  loaded('a shape with a name of 1 MB', () =>
    robot(link('a', `${inertial}<collision><geometry><${long}/></geometry></collision>`)),
  ),

  // MJCF
  refused('MJCF: names of 1 MB', () => mjcf(`<geom name="${long}" type="${long}" class="${long}"/>`)),
  loaded('MJCF: elements of 1 MB', () => mjcf(`<geom size="1"/><${long}/>`, `<${long} ${long}="1"/>`)),
  refused('MJCF: a million copies', () =>
    mjcf('<geom size="1"/>', '', `<replicate count="1000000"><body><freejoint/><geom size="1"/></body></replicate>`),
  ),
  refused('MJCF: copies of copies', () =>
    mjcf(`${'<replicate count="100">'.repeat(8)}<geom size="1"/>${'</replicate>'.repeat(8)}`),
  ),
  refused('MJCF: a copy without end', () => mjcf('<replicate count="1e300"><geom size="1"/></replicate>')),
  refused('MJCF: a file that includes itself', () => mjcf('<include file="self.xml"/>'), { files: selves }),
  either('MJCF: a height field of 1e18 points', () =>
    mjcf('<geom size="1"/>', '<asset><hfield name="h" nrow="1000000000" ncol="1000000000" size="1 1 1 1"/></asset>'),
  ),
  loaded('MJCF: a class for each of 10,000 bodies', () =>
    mjcf(
      count(900, (k) => `<body childclass="c${k}"><joint/><geom size="1"/></body>`),
      `<default>${count(10_000, (k) => `<default class="c${k}"><geom size="${k + 1}"/></default>`)}</default>`,
    ),
  ),
  loaded('MJCF: two bodies of 10,000 shapes each', () => {
    const shapes = count(10_000, (k) => `<geom size="1" contype="${k}"/>`)
    return mjcf(`<joint/>${shapes}<body><joint/>${shapes}</body>`)
  }),
  either('MJCF: followers in a circle', () =>
    mjcf(
      '<joint name="a"/><geom size="1"/><body><joint name="b"/><geom size="1"/></body>',
      '<equality><joint joint1="a" joint2="b"/><joint joint1="b" joint2="a"/><joint joint1="a" joint2="a"/></equality>',
    ),
  ),
  refused('MJCF: a million numbers where two are expected', () =>
    mjcf(`<geom size="${'1 '.repeat(million)}"/>`, `<keyframe><key qpos="${'1 '.repeat(million)}"/></keyframe>`),
  ),
  either('MJCF: a mesh of half a million vertices in one place', () =>
    mjcf('<geom type="mesh" mesh="m"/>', `<asset><mesh name="m" vertex="${'1 1 1 '.repeat(million / 2)}"/></asset>`),
  ),

  // SDF
  refused('SDF: names of 1 MB', () => sdf(`<link name="${long}"><pose relative_to="${long}"/></link><${long}/>`)),
  refused('SDF: a model that includes itself', () => sdf('<include><uri>self.sdf</uri></include>'), { files: selves }),
  refused('SDF: frames in a circle of 10,000', () =>
    sdf(`${count(10_000, (k) => `<frame name="f${k}" attached_to="f${(k + 1) % 10_000}"/>`)}<link name="a"/>`),
  ),
  either('SDF: a chain of 10,000 frames', () =>
    sdf(
      `<link name="a"/>${count(10_000, (k) => `<frame name="f${k}" attached_to="${k === 0 ? 'a' : `f${k - 1}`}"><pose>1 0 0 0 0 1</pose></frame>`)}`,
    ),
  ),
  either(
    'SDF: models in models',
    () => `<sdf version="1.9">${'<model name="m">'.repeat(150)}<link name="a"/>${'</model>'.repeat(150)}</sdf>`,
  ),
]

/** Corners on a ball, as OBJ. */
const ballOf = (corners: number) =>
  count(corners, (k) => {
    const z = 1 - (2 * k + 1) / corners
    const r = Math.sqrt(1 - z * z)
    return `v ${(r * Math.cos(2.4 * k)).toFixed(6)} ${(r * Math.sin(2.4 * k)).toFixed(6)} ${z.toFixed(6)}\n`
  })

/** YAML to hurt with. */
function yamls(): Readonly<Record<string, string>> {
  const letters = 'abcdefghi'
  return {
    '/p/bomb.yaml': `a: &a [1,1,1,1,1,1,1,1,1,1]\n${[...letters.slice(1)].map((name, k) => `${name}: &${name} [${Array.from({ length: 10 }, () => `*${letters[k]}`).join()}]\n`).join('')}`,
    '/p/deep.yaml': count(5000, (k) => `${' '.repeat(k)}a:\n`),
    '/p/flow.yaml': '['.repeat(million),
    '/p/tagged.yaml': 'a: !!js/function "function () { return process }"\n',
    '/p/self.yaml': 'a: &a [*a]\n',
    '/p/merge.yaml': 'a: &a {<<: *a}\n',
    '/p/keys.yaml': count(7000, (k) => `k${k}: 1\n`),
    '/p/expression.yaml': `a: ${expression('10**10**10')}\n`,
  }
}

function attempt(name: string): string {
  const { text, outcome, strict, srdf, files = () => ({}) } = inputs.find((input) => input.name === name)!
  const secret = '<robot>\nroot: 1\n</robot>'
  const there = { '/etc/passwd': secret, '/etc/passwd.stl': secret, ...files() }
  const memory = memoryResolver(new Map(Object.entries(there).map(([path, bytes]) => [path, utf8(bytes)])))
  const resolver: Resolver = {
    ...memory,
    roots: ['/p'],
    read: (path) => {
      if (!path.startsWith('/p/')) throw new Error(`${path} is read, which is outside of the roots`)
      return memory.read(path)
    },
  }
  const semantic = srdf && { text: srdf(), file: 'r.srdf' }
  const came = loadAndMove(text(), { file: '/p/r.urdf', resolver, strict, srdf: semantic, environment: {} })
  if (outcome !== 'either' && came !== outcome) throw new Error(`came to a ${came}; expected a ${outcome}`)
  return came
}

const [most] = process.argv.slice(2)
tryInputs(
  inputs.filter(({ text, srdf }) => text().length + (srdf?.().length ?? 0) <= Number(most)).map(({ name }) => name),
  attempt,
)
