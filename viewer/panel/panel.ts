import GUI from 'lil-gui'
import type { FeatureMoment } from '../../contact/index.ts'
import type { GainRange } from '../controllers.ts'
import { FeatureCountsTable } from '../overlays/featureCounts.ts'
import { overlayNamed, overlayNames, switched } from '../overlays/overlays.ts'
import type { Lane } from '../runs/lane.ts'
import { layouts } from '../runs/layout.ts'
import { ModelList } from '../runs/modelList.ts'
import { surroundings } from '../stage/surroundings.ts'
import { type Settings, timeSteps } from './settings.ts'

export interface PanelActions {
  /** Something of the run has changed. */
  rerun(): void
  /** Another robot was chosen. */
  load(): void
  /** Another SRDF file for the robot was chosen. */
  reload(): void
  /** Only the picture has changed. */
  redraw(): void
  frame(): void
  /** Copies a link to the view. */
  share(): void
  single(): void
  picture(): void
  /** The first run's robot and its record. */
  gltf(): void
  tape(format: 'mcap' | 'csv'): void
  /** Begins a film of the stage, or ends it. */
  film(): void
}

export interface Panel {
  /** Shows the settings as they are now, with these to choose from. */
  refresh(choices: Choices): void
  /** Shows available feature contacts; without a model that reads them the switch is off. */
  showFeatures(lanes: readonly Lane[], moments: readonly (FeatureMoment | undefined)[]): void
}

export interface Choices {
  readonly robots: readonly string[]
  /** SRDF files; the menu is there only if there are any. */
  readonly srdfs: readonly string[]
  /** Named poses of the robot; likewise. */
  readonly poses: readonly string[]
  readonly controllers: readonly string[]
  /** Of the controller that is chosen; likewise. */
  readonly gains: Readonly<Record<string, GainRange>>
}

export function createPanel(
  container: HTMLElement,
  settings: Settings,
  contactModels: readonly string[],
  actions: PanelActions,
): Panel {
  const gui = new GUI({ container, autoPlace: false, title: '', injectStyles: false, width: 290 })
  gui.$title.remove()

  const robot = gui.addFolder('Robot')
  let robots = robot.add(settings, 'robot', [settings.robot]).name('robot').onChange(actions.load)
  robot.add(settings, 'base', ['as the file says', 'floating', 'fixed']).name('base').onChange(actions.reload)
  let srdfs = robot.add(settings, 'srdf', ['']).name('SRDF').onChange(actions.reload)
  let poses = robot.add(settings, 'pose', ['']).name('starts in').onChange(actions.rerun)
  let controllers = robot.add(settings, 'controller', [settings.controller]).name('controller').onChange(actions.rerun)

  const models = gui.addFolder('Contact models')
  const list = new ModelList(
    contactModels,
    () => settings.models,
    (names) => {
      settings.models = names
      actions.rerun()
    },
  )
  models.$children.append(list.element)
  models
    .add(settings, 'layout', [...layouts])
    .name('shown')
    .onChange(actions.redraw)
  models.add(settings, 'apart', 0.5, 5, 0.1).name('distance').onChange(actions.redraw)

  addRun(gui, settings, actions)
  const gains = gui.addFolder('Controller gains').hide()
  gui.addFolder('Push').add(settings, 'impulse', 0).name('impulse [N s]')
  addOverlays(gui, settings, actions)
  addShare(gui, actions)
  const { features, counts } = addView(gui, settings, actions)

  /** Sliders of these gains, at their values in the settings. */
  function showGains(ranges: Choices['gains']): void {
    gains.show(Object.keys(ranges).length > 0)
    for (const controller of [...gains.controllers]) controller.destroy()
    for (const [name, { usual, most }] of Object.entries(ranges)) {
      gains.add({ [name]: settings.gains[name] ?? usual }, name, 0, most, most / 240).onFinishChange((value: number) => {
        settings.gains = { ...settings.gains, [name]: value }
        actions.rerun()
      })
    }
  }

  return {
    refresh(choices) {
      list.refresh()
      robots = robots.options(labelled(choices.robots))
      srdfs = srdfs.options({ none: '', ...labelled(choices.srdfs) }).show(choices.srdfs.length > 0)
      poses = poses.options({ home: '', ...Object.fromEntries(choices.poses.map((name) => [name, name])) })
      poses.show(choices.poses.length > 0)
      controllers = controllers.options([...choices.controllers])
      showGains(choices.gains)
      for (const controller of gui.controllersRecursive()) {
        controller.updateDisplay()
        controller.domElement.title = hints[controller.property] ?? controller.domElement.title
      }
      robots.domElement.title = settings.robot
    },
    showFeatures(lanes, moments) {
      const isThere = counts.update(lanes, settings.features, moments)
      features.enable(isThere)
    },
  }
}

function addRun(gui: GUI, settings: Settings, actions: PanelActions): void {
  const run = gui.addFolder('Run')
  const steps = [...timeSteps]
  if (!steps.includes(settings.dt)) steps.push(settings.dt)
  run
    .add(settings, 'dt', Object.fromEntries(steps.sort((a, b) => a - b).map((dt) => [`${dt * 1000} ms`, dt])))
    .name('time step')
    .onChange(actions.rerun)
  run
    .add(settings, 'ground', [...surroundings])
    .name('ground')
    .onChange(actions.rerun)
  run.add(settings, 'friction', 0, 1.5, 0.05).name('friction').onFinishChange(actions.rerun)
  run.add(settings, 'restitution', 0, 1, 0.05).name('restitution').onFinishChange(actions.rerun)
  run.add(settings, 'allowedPenetration', 0.1, 10, 0.1).name('allowed depth [mm]').onFinishChange(actions.rerun)
  run.add(settings, 'gravity', 0, 20, 0.01).name('gravity [m/s²]').onFinishChange(actions.rerun)
  run.add(settings, 'judged').name('judge by the laws').onChange(actions.rerun)
}

function addOverlays(gui: GUI, settings: Settings, actions: PanelActions): void {
  const shows = gui.addFolder('Overlays').close()
  shows.domElement.classList.add('see-overlays')
  for (const name of overlayNames) {
    const { key, hint } = overlayNamed(name)
    const choice = {
      get on() {
        return settings.overlays.includes(name)
      },
      set on(on) {
        settings.overlays = switched(settings.overlays, name, on)
      },
    }
    shows.add(choice, 'on').name(name).onChange(actions.redraw).domElement.title = `${hint} (${key.toUpperCase()})`
  }
  shows.add(settings, 'opacity', 0.1, 1, 0.05).name('robot\u2019s opacity').onChange(actions.redraw)
}

function addShare(gui: GUI, actions: PanelActions): void {
  const share = gui.addFolder('Share')
  share.add({ share: actions.share }, 'share').name('Copy a link to this run')
  share.add({ single: actions.single }, 'single').name('Save one .html that runs offline')
  share.add({ picture: actions.picture }, 'picture').name('Save a picture (PNG)')
  share.add({ gltf: actions.gltf }, 'gltf').name('Save the run (glTF)')
  share.add({ mcap: () => actions.tape('mcap') }, 'mcap').name('Save a recording (MCAP)')
  share.add({ csv: () => actions.tape('csv') }, 'csv').name('Save tables (CSV)')
  share.add({ film: actions.film }, 'film').name('Film the stage; again: save')
}

/** @returns the choice of contacts of features, and the counts below it */
function addView(gui: GUI, settings: Settings, actions: PanelActions) {
  const view = gui.addFolder('View').onChange(actions.redraw)
  view.add(settings, 'points').name('contact points')
  view.add(settings, 'forces').name('contact forces')
  view.add(settings, 'split').name('normal + friction')
  const features = view.add(settings, 'features').name('feature contacts')
  const counts = new FeatureCountsTable()
  features.domElement.after(counts.element)
  features.domElement.querySelector('input')?.setAttribute('aria-describedby', 'feature-note')
  view.add(settings, 'arrows', 0.1, 5, 0.1).name('arrow length')
  view.add(settings, 'visuals').name('robot')
  view.add(settings, 'collisions').name('collision shapes')
  view.add(settings, 'follow').name('follow the robot')
  view.add({ frame: actions.frame }, 'frame').name('Frame the robot')
  view.add(settings, 'theme', ['light', 'dark']).name('theme')
  return { features, counts }
}

/** Tool tips by name in `Settings`. */
const hints: Readonly<Record<string, string>> = {
  srdf: 'named poses, and pairs of links that do not collide',
  pose: 'a pose that the SRDF file names',
  controller: 'default: as in featherbed compare for this robot',
  dt: 'changes in this group hold from the current step on; Ctrl+Z reverts them',
  gravity: 'downwards',
  impulse: 'impulse of a double click on a link, along the line of sight; X repeats it at the last point',
  ground: 'begins a new run. curb: a low slab lies across the robot’s path',
  friction: 'Coulomb friction, where the files state none',
  restitution: 'speed after a bounce over speed before, where the files state none',
  allowedPenetration:
    'depth to which the robot may sink into the ground under its own weight; penalty models derive their stiffness from it',
  points: 'contact points of the model (C)',
  forces: 'force of the ground on the robot at each contact, mean over the step (F)',
  split: 'normal force and friction as two arrows (P)',
  features: 'pairs of features in the constraints of the model, and their state (G)',
  arrows: 'the arrow at the lower left shows the scale',
  visuals: 'visual shapes of the robot’s file',
  collisions: 'the shapes used for contact (H)',
  layout:
    'side by side: in a row, apart from each other. One place: the first solid, the others as ghosts where they differ. Split views: a picture each, with linked cameras',
  apart: 'extra distance between robots side by side',
  judged: 'check each run against the laws of the verdict, at some computing cost',
  follow: 'the camera moves with the first robot (T)',
}

/** Paths by their last part, or in full where two end alike. */
function labelled(paths: readonly string[]): Record<string, string> {
  const last = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  const ends = paths.map(last)
  return Object.fromEntries(paths.map((path, i) => [ends.indexOf(ends[i]) === ends.lastIndexOf(ends[i]) ? ends[i] : path, path]))
}
