import { Group, Vector3 } from 'three'
import type { PlacedShape } from '../contact/geometry/index.ts'
import { contactModelNames, defaultPhysicalInputs, type FeatureMoment } from '../contact/index.ts'
import {
  type Diagnostic,
  type ExaminedRobot,
  formatDiagnostic,
  type NamedPose,
  type Robot,
  separated,
  writeUrdf,
} from '../robots/index.ts'
import { type ControllerName, controllerNames, controllersFor, gainsOf, isDrivable } from './controllers.ts'
import { Editing } from './edit/editing.ts'
import type { Problem } from './edit/texts.ts'
import { Front } from './front/front.ts'
import { type FrontScene, frontScenes } from './front/scenes.ts'
import { Acting } from './interaction/acting.ts'
import { edited, isLive, liveSetup, type RunSettings } from './interaction/liveSettings.ts'
import { ContactArrows } from './overlays/contactArrows.ts'
import { FeatureMarks } from './overlays/featureMarks.ts'
import { LinkTree } from './overlays/linkTree.ts'
import type { PlacedNote } from './overlays/notes.ts'
import { type Part, partsOf } from './overlays/parts.ts'
import type { Note } from './overlays/pen.ts'
import { Seeing } from './overlays/seeing.ts'
import { trailOf } from './overlays/trails.ts'
import { handleKeys } from './panel/keys.ts'
import { busy, complain, inform, listFindings } from './panel/notices.ts'
import { createPanel } from './panel/panel.ts'
import { RunTable } from './panel/runTable.ts'
import { Plots } from './plots/plots.ts'
import { acceptFiles, type DroppedFile, nothingAmong } from './robots/drop.ts'
import { RobotFiles, readFiles } from './robots/robotFiles.ts'
import { isOwnRobot, loadOwnRobot, loadRobotFile, ownRobotNames, ownRobotText } from './robots/robotSource.ts'
import { ForkForm } from './runs/forkForm.ts'
import { LaneLabels } from './runs/labels.ts'
import type { Lane } from './runs/lane.ts'
import { placeOf, roomOf } from './runs/layout.ts'
import type { RunSetup, Snapshot } from './runs/protocol.ts'
import { sceneOfController } from './scenes/dropped.ts'
import { galleryScene, sceneChoices } from './scenes/gallery.ts'
import type { Origin, Scene } from './scenes/scene.ts'
import type { Files } from './scenes/sources.ts'
import { DROPPED, showCard } from './share/card.ts'
import { likeOwn, sharedRun } from './share/link.ts'
import { Sharing } from './share/sharing.ts'
import { type BodyVisual, createBodyVisuals } from './stage/bodyVisuals.ts'
import { themes } from './stage/palette.ts'
import { RobotView } from './stage/robotView.ts'
import './share/embed.css'
import { Overlays } from './overlays/overlays.ts'
import { addressOfSettings, firstSettings, settingsOfAddress, timeSteps, USUAL_FRICTION } from './panel/settings.ts'
import { Session } from './runs/session.ts'
import { type Pane, Stage } from './stage/stage.ts'
import { fixturesFor, SurroundingsView } from './stage/surroundings.ts'
import './style.css'
import { Transport } from './panel/transport.ts'
import type { RobotLog } from './recordings/log.ts'
import { readVisuals, type Visuals } from './stage/visuals.ts'
import { createTestHook } from './testHook.ts'

const element = (id: string) => document.getElementById(id) as HTMLElement
const modelNames: readonly string[] = contactModelNames
/** Surroundings stand side by side with their corners towards each other. */
const CORNER = 1.2
/** The controller of a scenario. */
const SCENARIOS = 'the scenario\u2019s'
/** Of a recording. */
const RECORDED = 'as recorded'

const isDark = matchMedia('(prefers-color-scheme: dark)').matches
const settings = firstSettings(ownRobotNames[0], controllerNames[0], modelNames.slice(0, 3), isDark ? 'dark' : 'light')
const asked = settingsOfAddress(settings, location.search, {
  robots: [...ownRobotNames, ...sceneChoices],
  models: [...modelNames],
  controllers: [...controllerNames],
})

const session = new Session()
const front = new Front((scene) => void openFront(scene))
window.featherbed = createTestHook(
  session,
  () => views[0]?.robot,
  () => views.map(({ features }) => features.shown),
  () => plots,
  () => views.map(({ robot: { group } }) => ({ at: group.position.toArray(), visible: group.visible })),
  {
    isSettled,
    overlays: () => views.map(({ overlays }) => overlays.shown()),
  },
)

// On the stage: the robot, and one view and one set of arrows a lane.
let dropped = new RobotFiles()
/** Their source, for the card, and whether their scripts are trusted. */
let [handedBy, origin]: [string, Origin] = [DROPPED, 'own']
let robot: Robot | undefined
/** Which of its bodies are one robot. */
let parts: readonly Part[] = []
/** The scenario that is run, if it is one, and its fixtures. */
let scene: { readonly scene: Scene; readonly fixtures: readonly PlacedShape[] } | undefined
/** Its examined file, where it is one robot's. */
let examined: ExaminedRobot | undefined
/** The recording that is played, if it is one. */
let recorded: (NonNullable<RunSetup['recorded']> & { readonly contactModel: string }) | undefined
/** A log of the robot that stands there, played beside its runs. */
let logged: RobotLog | undefined
/** Whether a scene stated friction and step of the run that stands. */
let isStated = false
/** What the last scenario stated of its runs. */
let stated: { readonly dt?: number; readonly models?: string[] } = {}
/** The choice that put it there. */
let standing = { robot: settings.robot, srdf: settings.srdf }
/** The robot that a dropped controller drives. */
let driven: string = ownRobotNames[0]
let bodies: readonly (BodyVisual | undefined)[] = []
let views: {
  readonly lane: Lane
  readonly robot: RobotView
  readonly around: SurroundingsView
  readonly arrows: ContactArrows
  readonly features: FeatureMarks
  readonly overlays: Overlays
}[] = []
/** Half the size of the robot [m], and the force of its weight [N]: arrows and points are drawn to match. */
let size = 1
/** Distance between robots so that they do not touch, as they start [m]. */
let spacing = 1
/** How high the robot reaches as it starts, above the origin of its first body [m]. */
let top = 1
let weight = 1
/** Whether the controller takes a user's commands. */
let drivable = false
/** As the robot's file says [m/s²]. */
let ownGravity = settings.gravity
let loading = 0
/** Number of robots' visuals, such as textures, being loaded. */
let looksAway = 0
/** Until something stands on the stage, the address counts. */
let isFirst = true
let changed = true
/** Layout of the views, and how far apart they stood when they were framed [m]. */
let viewedAs = settings.layout
let framedApart = 0

const stage = openStage()
/** All robots of the stage, which the camera frames. */
const robots = new Group()
stage.scene.add(robots)
const labels = new LaneLabels(element('view'), stage)
const table = new RunTable(element('runs') as HTMLTableSectionElement)
const transport = new Transport(session)
const tree = new LinkTree(() => redraw())
const seeing = new Seeing(element('view'), element('help').querySelector('dl') as HTMLElement, {
  stage,
  settings,
  changed: () => {
    showSettings()
    redraw()
  },
})
element('panel').after(tree.element)
const forkForm = new ForkForm(session, modelNames, timeSteps, () => redraw())
element('fork').onclick = () => forkForm.open()
const acting = new Acting(element('view'), element('panel'), {
  stage,
  session,
  settings,
  robot: () => robot,
  views: () => views.map((view) => view.robot),
  paneShift,
  size: () => size,
  isDrivable: () => drivable,
  start: startRun,
  apply: applySettings,
  redraw: () => {
    changed = true
  },
})
const plots = new Plots(session, element('dock').children[0] as HTMLElement, element('plot') as HTMLButtonElement)
const editing = new Editing(element('view'), element('edit') as HTMLButtonElement, {
  standing: filesThatStand,
  run: runEdited,
  resized: frame,
  findings: () => (robot?.diagnostics ?? []).map(problemOf),
  repaired,
})
const sharing = new Sharing({
  session,
  settings,
  canvas: element('canvas') as HTMLCanvasElement,
  robot: () => robot,
  bodies: () => bodies,
  scene: () => scene?.scene,
  files: readFilesOfRun,
  driven: () => driven,
  render: () => stage.render(),
})
const panel = createPanel(element('panel'), settings, modelNames, {
  rerun,
  load: () => void load(),
  reload: () => void load(settings.srdf),
  redraw,
  frame,
  share: () => void sharing.link(),
  single: () => void sharing.single(),
  picture: () => sharing.picture(),
  gltf: () => void sharing.gltf(),
  tape: (format) => void sharing.tape(format),
  film: () => void sharing.filmStage(),
})

const toggle = (name: 'points' | 'forces' | 'split' | 'features' | 'collisions' | 'follow') => () => {
  settings[name] = !settings[name]
  showSettings()
  redraw()
}
handleKeys({
  ' ': () => transport.toggle(),
  arrowleft: () => session.stepBy(-1),
  arrowright: () => session.stepBy(1),
  backspace: () => session.restart(),
  k: () => forkForm.open(),
  y: () => void plots.toggle(),
  f1: () => {
    const help = element('help') as HTMLDetailsElement
    help.open = !help.open
    help.scrollIntoView()
  },
  f2: () => void editing.toggle(),
  '-': () => transport.faster(-1),
  '+': () => transport.faster(1),
  '=': () => transport.faster(1),
  c: toggle('points'),
  f: toggle('forces'),
  p: toggle('split'),
  g: () => {
    if (settings.features || session.lanes.some(({ readsFeatures }) => readsFeatures)) toggle('features')()
  },
  h: toggle('collisions'),
  t: toggle('follow'),
  a: frame,
  ...acting.keys,
  ...seeing.keys,
})
element('open-files').onclick = () => element('files').click()
element('open-folder').onclick = () => element('folder').click()
acceptFiles((files) => void takeFiles(files))
selectByClick()
element('notice')
  .querySelector('button')
  ?.addEventListener('click', () => {
    element('notice').hidden = true
  })

redraw()
if (new URLSearchParams(location.search).get('embed') === '1') document.documentElement.dataset.embed = ''
const shared = await sharedRun().catch((error: unknown) => {
  complain('The run of this link cannot be shown', error)
  return undefined
})
if (shared) {
  driven = shared.driven ?? driven
  if (shared.files.size > 0) take(new RobotFiles(shared.files as typeof dropped.all), shared.from, shared.origin)
  Object.assign(settings, likeOwn(settings, shared.settings))
}
const address = new URLSearchParams(location.search)
const isAddressed = ['robot', 'controller', 'ground', 'models', 'dt', 'friction'].some((name) => address.has(name))
const first = shared || isAddressed ? undefined : (frontScenes.find(({ name }) => name === address.get('show')) ?? frontScenes[0])
if (first) settings.robot = first.robot
await load(first ? '' : shared?.settings.srdf, { first })
if (shared && standing.robot === shared.settings.robot) {
  // reset by loading
  Object.assign(settings, likeOwn(settings, shared.settings))
  startRun()
}
const isShown = !address.has('show') || frontScenes.some(({ name }) => name === address.get('show'))
if (!isShown) asked.refused.push(`show "${address.get('show')}": there are ${frontScenes.map(({ name }) => name).join(', ')}`)
if (asked.refused.length > 0) complain('The address names something unknown', asked.refused.join('\n'))
if (asked.plays) session.play()
requestAnimationFrame(draw)

/** Of a run that is passed on, the files that it was made of; none of the page's own. */
function readFilesOfRun(): Files {
  if (isOwnRobot(settings.robot) || sceneChoices.includes(settings.robot)) return new Map()
  const { read } = dropped.all
  return new Map([...dropped.all].filter(([path]) => read.has(path) || session.lanes.some((lane) => lane.read.has(path))))
}

/** Has these files to choose from, in the place of others. */
function take(files: RobotFiles, from: string, whose: Origin): void {
  dropped = files
  handedBy = from
  origin = whose
  const trust = () => {
    take(dropped, handedBy, 'own')
    void load(settings.srdf)
  }
  showCard(element('card'), handedBy, dropped.all, origin === 'own' ? undefined : trust)
}

/** A click that neither turns the camera nor acts selects a link under it; one beside the robot selects none. */
function selectByClick(): void {
  const canvas = element('canvas')
  let down = [0, 0]
  canvas.addEventListener('pointerdown', ({ clientX, clientY }) => {
    down = [clientX, clientY]
  })
  canvas.addEventListener('click', (event) => {
    if (event.ctrlKey || acting.isHolding || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return
    const { body, view } = acting.bodyAt(event) ?? { body: -1, view: undefined }
    if (body !== tree.selected || body > 0) tree.select(body, view)
  })
}

function openStage(): Stage {
  try {
    const stage = new Stage(element('canvas') as HTMLCanvasElement)
    const redrawView = () => {
      changed = true
    }
    stage.orbit.addEventListener('change', redrawView)
    new ResizeObserver(() => {
      redrawView()
      if (stage.isFramed) frame()
    }).observe(element('view'))
    return stage
  } catch (error) {
    complain('This page needs WebGL 2', error)
    throw error
  }
}

/** Opens one of the first scenes, and plays it. */
async function openFront(scene: FrontScene): Promise<void> {
  settings.robot = scene.robot
  await load('', { first: scene })
  session.play()
}

interface Opening {
  /** One of the first scenes. */
  readonly first?: FrontScene
  /** Whether it ran before it was edited: settings that its text leaves as they were stay as the user has them. */
  readonly isEdited?: boolean
}

/** Loads the robot that the settings name; if that fails, the stage stays as it is. @returns why it failed, '' if it did not */
async function load(
  srdf = isOwnRobot(settings.robot) ? '' : dropped.srdfOf(settings.robot),
  { first, isEdited }: Opening = {},
): Promise<string> {
  const turn = ++loading
  const chosen = { robot: settings.robot, srdf }
  busy(`Loading ${chosen.robot} …`)
  element('notice').hidden = true
  try {
    await painted()
    if (dropped.recordings.includes(chosen.robot)) {
      await enterRecording(chosen, () => turn === loading)
      return ''
    }
    const asked = (await galleryScene(chosen.robot)) ?? droppedScene(chosen.robot)
    if (asked !== undefined) {
      await enterScene(asked, chosen, () => turn === loading, { first, isEdited })
      return ''
    }
    const base = settings.base === 'as the file says' ? undefined : settings.base
    const loaded = isOwnRobot(chosen.robot)
      ? loadOwnRobot(chosen.robot, { base })
      : loadRobotFile(dropped, chosen.robot, srdf, { base })
    const seen = await readVisuals(loaded.examined, loaded.files, looksLoad)
    if (turn !== loading) return '' // the user has chosen again meanwhile
    // what a scene stated of its run is over
    const stays = isEdited || chosen.robot === standing.robot
    const usual = isStated && !stays ? { dt: 1e-3, friction: USUAL_FRICTION, restitution: 0, allowedPenetration: 1 } : {}
    Object.assign(settings, chosen, { pose: '' }, usual, first?.settings)
    front.tell(first)
    isStated = first !== undefined || (isStated && stays)
    standing = chosen
    scene = recorded = undefined
    examined = loaded.examined
    enter(loaded.robot, loaded.examined.root.file, seen)
  } catch (error) {
    if (turn !== loading) return ''
    complain(`${chosen.robot} could not be loaded`, error)
    Object.assign(settings, standing)
    showSettings()
    return error instanceof Error ? error.message : String(error)
  } finally {
    if (turn === loading) busy('')
  }
  return ''
}

/** Visuals load later than their robots. */
function looksLoad(change: 1 | -1): void {
  looksAway += change
  changed = true
}

/** Whether the picture shows all that there is: every robot with visuals, every run at the step shown. */
function isSettled(): boolean {
  const isShown = session.lanes.every((lane, i) => shown[i] !== undefined && session.snapshot(lane) === shown[i])
  return element('busy').hidden && looksAway === 0 && isShown && !changed && stage.ready
}

/** The file that runs, and all beside it. */
async function filesThatStand(): Promise<{ readonly file: string; readonly files: Files }> {
  if (dropped.controllers.includes(standing.robot)) return { file: standing.robot, files: dropped.all }
  if (scene !== undefined) return scene.scene
  const file = recorded ? (robot?.name ?? '') : standing.robot
  if (!isOwnRobot(file)) return { file, files: dropped.all }
  const path = `${file}.urdf`
  return { file: path, files: new Map([[path, new TextEncoder().encode(ownRobotText(file))]]) }
}

/** Runs a file that was edited, among others. @returns its errors */
async function runEdited(files: Files, file: string): Promise<string> {
  if (!isOwnRobot(standing.robot) && dropped.robots.includes(standing.robot)) driven = standing.robot
  else if (isOwnRobot(standing.robot)) driven = standing.robot
  const isOurs = isOwnRobot(standing.robot) || sceneChoices.includes(standing.robot)
  dropped.dispose()
  take(new RobotFiles(files as typeof dropped.all), isOurs ? '' : handedBy, isOurs ? 'own' : origin)
  settings.robot = file
  const problem = await load(undefined, { isEdited: true })
  if (problem === '') session.play()
  else element('notice').hidden = true // the editor says it
  return problem
}

function problemOf(finding: Diagnostic): Problem {
  const { file, line, severity } = finding
  return { file, line, severity, message: formatDiagnostic(finding) }
}

/** The robot that stands there as it was repaired to be loaded; undefined where nothing was. */
function repaired(): string | undefined {
  if (scene !== undefined || !examined || !robot?.diagnostics.some(({ repaired }) => repaired)) return undefined
  const { root } = examined
  return writeUrdf(examined.repaired, { source: root.name === 'robot' ? root : undefined, declareWorld: true })
}

/** A moment in which the browser shows changes, before work that keeps it from doing so. */
function painted(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}

/** Scene of a dropped scenario, or of a dropped controller for the current robot. */
function droppedScene(choice: string): Scene | undefined {
  if (dropped.scenarios.includes(choice)) return { file: choice, files: dropped.all, origin }
  if (dropped.controllers.includes(choice)) return sceneOfController(dropped, choice, driven, origin)
  return undefined
}

/** Puts a scenario on the stage. @param isWanted whether nothing else was chosen meanwhile */
async function enterScene(
  asked: Scene,
  chosen: typeof standing,
  isWanted: () => boolean,
  { first, isEdited }: Opening,
): Promise<void> {
  const { sceneAtRest } = await import('./scenes/scene.ts')
  const { visualsOfScene } = await import('./scenes/visuals.ts')
  const rest = await sceneAtRest(asked)
  const files = sceneChoices.includes(chosen.robot) ? new RobotFiles(asked.files as typeof dropped.all) : dropped
  const seen = await visualsOfScene(rest, files, looksLoad)
  if (!isWanted()) return
  const { physical, dt, models } = rest.scenario
  const { friction, restitution, allowedPenetration } = { ...defaultPhysicalInputs, ...physical }
  Object.assign(settings, chosen, { pose: '', friction, restitution, allowedPenetration: 1000 * allowedPenetration })
  const query = new URLSearchParams(isFirst ? location.search : '')
  // one that runs under all says nothing of which to see
  const names = models.length < modelNames.length ? models.slice(0, 3).map(({ name }) => name as string) : undefined
  const isAsStated = isEdited && stated.dt === dt[0] && stated.models?.join() === names?.join()
  if (!query.has('dt') && !isAsStated) settings.dt = dt[0]
  if (names && !query.has('models') && !isAsStated) settings.models = names
  stated = { dt: dt[0], models: names }
  Object.assign(settings, first?.settings, { controller: SCENARIOS })
  front.tell(first)
  isStated = true
  standing = chosen
  recorded = undefined
  scene = { scene: asked, fixtures: rest.fixtures }
  enter(rest.robot, asked.file, seen, rest.members)
}

/** Plays a recording, with the robot that it was made of. @param isWanted whether nothing else was chosen meanwhile */
async function enterRecording(chosen: typeof standing, isWanted: () => boolean): Promise<void> {
  const { readRecording } = await import('./recordings/read.ts')
  const { robotOfRecording } = await import('./recordings/robot.ts')
  const told = readRecording(chosen.robot, dropped.all.get(chosen.robot) as Uint8Array)
  const found = await robotOfRecording(chosen.robot, told, dropped, looksLoad)
  const snapshots = told.snapshots(found.robot)
  if (!isWanted()) return
  Object.assign(settings, chosen, {
    pose: '',
    models: [told.contactModel],
    dt: told.dt,
    friction: told.friction ?? settings.friction,
  })
  settings.controller = RECORDED
  front.tell(undefined)
  standing = chosen
  scene = found.scene && { scene: found.scene, fixtures: found.fixtures ?? [] }
  recorded = { snapshots, end: told.end, contactModel: told.contactModel }
  enter(found.robot, chosen.robot, found.seen, found.members)
}

/** The robot and the objects of one file. */
function apartOf(loaded: Robot): { readonly robot: Robot }[] {
  const { rest, objects } = separated(loaded)
  return [rest, ...objects].map((robot) => ({ robot }))
}

/** @param members the robots that it is made of, if they are several */
function enter(
  loaded: Robot,
  file: string,
  seen: Visuals,
  members: readonly { readonly robot: Robot }[] = apartOf(loaded),
): void {
  isFirst = false
  robot = loaded
  logged = undefined
  parts = partsOf(members)
  bodies = createBodyVisuals(robot, seen)
  const controllers = choosable(robot)
  if (!controllers.includes(settings.controller as ControllerName)) settings.controller = controllers[0]
  const { gravity, I } = robot.model
  weight = Math.hypot(gravity[3], gravity[4], gravity[5]) * I.reduce((sum, inertia) => sum + inertia[0], 0) || 1
  ownGravity = Math.hypot(gravity[3], gravity[4], gravity[5])
  Object.assign(settings, { gravity: ownGravity, gains: {}, start: null })
  noticeMissing(robot)
  listFindings(robot.diagnostics, seen.problems, file)
  plots.setRobot(robot)
  showSettings()
  clearViews()
  const view = createView('#fff', 0)
  size = stage.sizeOf(view.group)
  ;({ spacing, top } = roomOf(view.group, view.position))
  if (scene !== undefined) {
    const place = new SurroundingsView()
    place.show(scene.fixtures)
    if (place.group.children.length > 0) spacing = Math.max(spacing, CORNER * roomOf(place.group, view.position).spacing)
    place.show()
  }
  acting.setRobot(robot)
  tree.setRobot(robot)
  startRun()
  frame()
  void editing.changed()
}

/** Applies edits: where it can, while the runs go on. */
function rerun(): void {
  acting.edited()
}

/** Applies settings to the runs. @param before their settings so far */
function applySettings(before: RunSettings, now: RunSettings): void {
  if (recorded !== undefined) {
    Object.assign(settings, structuredClone(before))
    complain('A recording is played', 'The recording is over; choose a robot or a scene to simulate.')
    showSettings()
    return
  }
  const names = edited(before, now)
  front.tell(undefined)
  if (session.step === 0 || !names.every(isLive)) {
    startRun()
    return
  }
  showSettings()
  if (names.some((name) => name !== 'models' && name !== 'dt'))
    session.act({ type: 'change', change: liveSetup(now, ownGravity) })
  const goOn = async () => {
    if (names.includes('models')) await session.setModels(now.models)
    if (names.includes('dt')) await session.setStep(now.dt)
    redraw()
  }
  void goOn()
  showAddress()
}

/** A new run of the settings. */
function startRun(): void {
  if (!robot) return
  showSettings()
  const { ground, dt } = settings
  const pose = robot.poses.find((candidate) => poseName(candidate) === settings.pose)
  const home = settings.start ? Float64Array.from(settings.start) : pose?.q
  const posed = home ? { ...robot, home } : robot
  const fixtures = scene?.fixtures ?? fixturesFor(ground, posed)
  session.start(
    {
      robot: posed,
      fixtures,
      ...liveSetup(settings, ownGravity),
      dt,
      judged: settings.judged,
      scene: recorded ? undefined : scene?.scene,
      recorded,
    },
    settings.models,
  )
  if (logged) void showLog(logged, robot)
  showAddress()
  for (const { around } of views) around.show(fixtures)
  redraw()
}

/** Plays a log beside the runs of the robot. */
async function showLog(log: RobotLog, of: Robot): Promise<void> {
  const { LOG_STEP, recordedOf } = await import('./recordings/log.ts')
  if (logged !== log || robot?.joints !== of.joints) return
  session.addRecorded(log.name, LOG_STEP, recordedOf(log, of))
  redraw()
}

function showAddress(): void {
  // browsers do not let a page change that of a file; a given run is given again at the same
  if (location.protocol === 'file:' || location.search.includes('given=')) return
  // a robot that was dropped has no address
  const isHere = isOwnRobot(settings.robot) || sceneChoices.includes(settings.robot)
  const address = front.shown ? `?show=${front.shown.name}` : addressOfSettings(settings)
  history.replaceState(null, '', isHere ? address : location.pathname)
}

/** One view a lane: of ghosts the first solid, elsewhere all. */
function createViews(): void {
  clearViews()
  views = session.lanes.map((lane, i) => {
    const order = settings.layout === 'one place' ? i : 0
    const view = {
      lane,
      robot: createView(lane.color, order),
      around: new SurroundingsView(),
      arrows: new ContactArrows(lane.color),
      features: new FeatureMarks(),
      overlays: new Overlays(),
    }
    if (settings.layout !== 'one place' || i === 0) view.around.show(lane.setup?.fixtures)
    robots.add(view.robot.group)
    stage.scene.add(view.around.group, view.arrows.group, view.features.group, view.overlays.group)
    return view
  })
  viewedAs = settings.layout
}

function createView(color: string, order: number): RobotView {
  return new RobotView(robot as Robot, bodies, color, order, size * 0.02)
}

function clearViews(): void {
  robots.clear()
  for (const { robot, around, arrows, features, overlays } of views) {
    stage.scene.remove(around.group, arrows.group, features.group, overlays.group)
    overlays.dispose()
    robot.dispose()
    around.show()
    arrows.dispose()
    features.dispose()
  }
  views = []
}

function frame(): void {
  if (views.length === 0) return
  const isSplit = settings.layout === 'split views'
  const framed = views.slice(0, isSplit ? 1 : undefined).map(({ robot }) => robot.position)
  stage.frame(isSplit ? views[0].robot.group : robots, framed)
  changed = true
}

function redraw(): void {
  document.documentElement.dataset.theme = settings.theme
  stage.setTheme(themes[settings.theme])
  session.watchFeatures(settings.features)
  showLegend()
  seeing.redraw()
  if (!robot) return
  const hasMoved = viewedAs !== settings.layout || views.length !== session.lanes.length
  if (hasMoved || views.some(({ lane }, i) => lane !== session.lanes[i])) createViews()
  const isSplit = settings.layout === 'split views'
  const apart = settings.layout === 'side by side' ? settings.apart * spacing : 0
  stage.setPanes(isSplit ? views.length : 1)
  labels.show(session.lanes, isSplit)
  labels.layOut(stage.grid)
  labels.isShown = views.length > 1 && settings.layout !== 'one place'
  tree.setRuns(session.lanes)
  views.forEach(({ robot, around, arrows, features, overlays }, i) => {
    robot.wear({ opacity: settings.opacity, wireframe: settings.overlays.includes('wireframe'), selected: tree.selected })
    // where the robots are in one place, the shapes of all would only hide each other
    const isAlone = i === 0 || settings.layout !== 'one place'
    robot.show(settings.visuals, settings.collisions && isAlone, settings.overlays.includes('convex parts') && isAlone)
    around.setTheme(themes[settings.theme])
    const place = placeOf(i, views.length, apart)
    robot.moveTo(place)
    for (const { group } of [around, arrows, features, overlays]) group.position.copy(place)
  })
  if (hasMoved || framedApart !== apart) frame()
  framedApart = apart
  changed = true
}

/** Controllers for the robot; a scenario states its own. */
function choosable(robot: Robot): readonly string[] {
  return recorded ? [RECORDED] : scene === undefined ? controllersFor(robot) : [SCENARIOS]
}

function showSettings(): void {
  drivable = robot !== undefined && scene === undefined && isDrivable(settings.controller as ControllerName, robot)
  panel.refresh({
    robots: [
      ...ownRobotNames,
      ...dropped.robots,
      ...dropped.scenarios,
      ...dropped.controllers,
      ...dropped.recordings,
      ...sceneChoices,
    ],
    srdfs: isOwnRobot(settings.robot) ? [] : dropped.srdfs,
    poses: robot ? [...new Set(robot.poses.map(poseName))] : [],
    controllers: robot ? choosable(robot) : [settings.controller],
    gains: robot && scene === undefined ? gainsOf(settings.controller as ControllerName, robot) : {},
  })
}

function poseName({ group, name }: NamedPose): string {
  return group === '' ? name : `${group}/${name}`
}

let before = performance.now()
let shown: unknown[] = []
/** While it plays, faster figures are unreadable, and writing them takes as long as all else of a frame [ms]. */
const TABLE_PERIOD = 100
let tabulated = Number.NEGATIVE_INFINITY
let isTableStale = true

function draw(now: number): void {
  requestAnimationFrame(draw)
  session.tick(Math.min((now - before) / 1000, 0.1)) // a page that was hidden does not catch up
  before = now
  session.settle()
  acting.tick()
  const snapshots = session.lanes.map((lane) => session.snapshot(lane))
  const failures = session.lanes.map((lane) => lane.failure)
  const moments = session.lanes.map((lane) => session.features(lane))
  const readers = session.lanes.map(({ readsFeatures }) => readsFeatures)
  const seen = [
    ...snapshots,
    ...failures,
    ...moments,
    ...readers,
    settings.features,
    session.pace,
    session.playing,
    session.lastStep,
    session.step,
  ]
  if (views.length !== session.lanes.length) redraw() // a fork has gone
  const differs = seen.length !== shown.length || seen.some((item, i) => item !== shown[i])
  plots.update(differs)
  if (differs) {
    shown = seen
    changed = true
    isTableStale = true
    transport.update()
    panel.showFeatures(session.lanes, moments)
    editing.tell(failures.find((failure) => failure !== undefined)?.message ?? '')
  }
  if (isTableStale && (!session.playing || now - tabulated > TABLE_PERIOD)) {
    table.update(session)
    labels.mark(table.broken)
    isTableStale = false
    tabulated = now
  }
  stage.orbit.update()
  if (changed && stage.ready) drawStage(snapshots, moments)
}

function drawStage(snapshots: readonly (Snapshot | undefined)[], moments: readonly (FeatureMoment | undefined)[]): void {
  changed = false

  const metresPerNewton = (1.5 * settings.arrows * size) / weight
  const shownRobot = robot
  tree.update(snapshots)
  // where the robots are in one place, the marks of all would only hide each other
  const marked = session.lanes.findIndex(({ readsFeatures }) => readsFeatures)
  const notes: PlacedNote[] = []
  views.forEach(({ lane, robot, around, arrows, features, overlays }, i) => {
    const snapshot = snapshots[i]
    // a fork is not there before it begins
    for (const { group } of [robot, around, arrows, features, overlays]) group.visible = snapshot !== undefined
    if (!snapshot) return
    const moment = i === marked || settings.layout !== 'one place' ? moments[i] : undefined
    robot.pose(snapshot.q)
    if (shownRobot) {
      const sight = {
        robot: shownRobot,
        data: robot.kinematics,
        snapshot,
        parts,
        size,
        selected: tree.selected,
        metresPerNewton,
        record: () => trailOf(lane.history, snapshot.step, lane.dt),
      }
      overlays.update(settings.overlays, sight)
      if (i === 0 || settings.layout !== 'one place') notes.push(...placed(overlays.notes, i))
    }
    arrows.update(snapshot.contacts, {
      metresPerNewton,
      size: size * 0.022,
      points: settings.points && moment === undefined, // the marks are at the same points
      forces: settings.forces,
      split: settings.split,
    })
    features.update(moment, {
      size: size * 0.02,
      colors: themes[settings.theme].features,
      camera: stage.camera.quaternion,
    })
  })
  follow()
  acting.draw()
  seeing.draw(notes)
  if (settings.layout === 'split views') {
    labels.layOut(stage.grid)
    stage.render(views.map((_, i) => paneOf(i, snapshots[i] !== undefined)))
    for (const { robot } of views) robot.group.visible = true
  } else {
    stage.render()
    labels.follow(
      views.map(({ robot }, i) => (snapshots[i] ? robot.position : undefined)),
      top + 0.1 * size,
    )
  }
  showScale(metresPerNewton * stage.pixelsPerMetre)
}

/** Lets the camera follow all that have begun, as soon as all of them are there. */
function follow(): void {
  const isSplit = settings.layout === 'split views'
  const followed = views.filter(({ lane }, i) => (session.snapshot(lane) || !lane.fork) && (i === 0 || !isSplit))
  const areThere = followed.every(({ lane }) => session.snapshot(lane))
  const positions = areThere ? followed.map(({ robot }) => robot.position) : []
  stage.track(positions, settings.follow && !acting.isHolding)
}

/** Notes of the run of a view, on the stage. */
function placed(notes: readonly Note[], view: number): PlacedNote[] {
  const { group } = views[view].robot
  const split = settings.layout === 'split views' && { pane: view, shift: paneShift(view) }
  return notes.map(({ at, text }) => ({ at: new Vector3(at[0], at[1], at[2]).add(group.position), text, ...split }))
}

/** Of the camera of pane i against that of the first [m]. */
function paneShift(i: number): Vector3 {
  const shift = new Vector3()
  return settings.follow && views[i] ? shift.subVectors(views[i].robot.position, views[0].robot.position) : shift
}

/** One run by itself, seen as the first is seen: the camera goes with each. */
function paneOf(i: number, isThere: boolean): Pane {
  const enter = () => {
    for (const view of views)
      for (const part of [view.robot, view.around, view.arrows, view.features, view.overlays])
        part.group.visible = view === views[i] && isThere
  }
  return { shift: paneShift(i), enter }
}

/** Meanings of the marks of feature contacts, in their drawn colours. */
function showLegend(): void {
  const legend = element('legend')
  legend.hidden = !settings.features
  for (const [name, color] of Object.entries(themes[settings.theme].features)) legend.style.setProperty(`--${name}`, color)
}

/** An arrow of a round number of newtons, as long as one at the camera's target. */
function showScale(pixelsPerNewton: number): void {
  const scale = element('scale')
  scale.hidden = !settings.forces || !(pixelsPerNewton > 0)
  if (scale.hidden) return
  const largest = 150 / pixelsPerNewton
  const decade = 10 ** Math.floor(Math.log10(largest))
  const force = decade * (largest >= 5 * decade ? 5 : largest >= 2 * decade ? 2 : 1)
  const [arrow, label] = scale.children as unknown as HTMLElement[]
  arrow.style.width = `${force * pixelsPerNewton}px`
  label.textContent = force >= 1000 ? `${force / 1000} kN` : `${Number(force.toPrecision(1))} N`
}

/** Opens dropped or chosen files: of several the first that can be run, with all others beside it. */
async function takeFiles(files: Promise<readonly DroppedFile[]>): Promise<void> {
  try {
    busy('Reading files …')
    const read = await readFiles(await files)
    const log = read.recordings.length > 0 ? (await import('./recordings/log.ts')).logAmong(read) : undefined
    const first = (log ? undefined : read.recordings[0]) ?? read.scenarios[0] ?? read.robots[0] ?? read.controllers[0]
    if (first === undefined && log) return await takeLog(log)
    if (first === undefined) throw new Error(nothingAmong(read.paths))
    // a controller drives the robot that stands there, in the place of another
    const isController = first === read.controllers[0]
    const standsAlone = isOwnRobot(standing.robot) || dropped.robots.includes(standing.robot)
    if (isController && !standsAlone && !dropped.controllers.includes(standing.robot))
      throw new Error(`${standing.robot} names its own controllers; choose a robot first, or name ${first} in the scenario`)
    if (isController && standsAlone) driven = standing.robot
    const keepsFiles = isController && !isOwnRobot(driven)
    if (!keepsFiles) dropped.dispose()
    take(keepsFiles ? dropped.with(read) : read, DROPPED, 'stranger')
    settings.robot = first
    showSettings()
    await load()
    if (log) await takeLog(log)
  } catch (error) {
    complain('These files could not be read', error)
  } finally {
    busy('')
  }
}

/** Puts a log beside the robot that stands there, and says what of it does not fit. */
async function takeLog(log: RobotLog): Promise<void> {
  if (robot === undefined || recorded) return
  const { unmatched } = await import('../compare/scenario/world/index.ts')
  const told = unmatched(
    log.states.flatMap(({ positions }) => Object.keys(positions)),
    robot,
  )
  if (told !== '') inform(`${log.name} is shown beside ${robot.name}`, told)
  logged = log
  startRun()
}

/** A part without its collision mesh goes through the ground, and may be invisible too; nothing else would say why. */
function noticeMissing({ diagnostics }: Robot): void {
  const missing = diagnostics.filter(({ code }) => code === 'mesh-missing').length
  if (missing === 0) return
  complain(
    `${settings.robot} is not complete`,
    `${missing === 1 ? '1 collision mesh is' : `${missing} collision meshes are`} not among the files; the findings name each. ` +
      'Drop the folder that holds the file and its meshes.',
  )
}
