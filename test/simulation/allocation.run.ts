/*
 * Run by allocation.test.ts in a process of its own, with ROBOT_FILE CONTACT_MODEL WARM_UP STEPS COMPARED [hold | balance | pull | senses]. Prints the hash
 * after COMPARED steps, and what each of ten times STEPS steps after the warm-up allocated.
 */
import { contactModelNamed } from '../../contact/index.ts'
import {
  actuated,
  balance,
  type Controller,
  type ControllerState,
  createControllerLoop,
  defaultControllerFor,
  hold,
  type SensorOptions,
  withRotors,
} from '../../control/index.ts'
import { loadRobotFile } from '../../robots/files.ts'
import { World } from '../../simulation/index.ts'
import { measureWindows } from '../allocation.ts'

const [file, contactModel, warmUp, steps, compared, controller] = process.argv.slice(2)
/** `hold` that reads all that a controller is given by name. Its own channels are left out: V8 boxes what setters take where it has no room to inline them. */
function senses(link: string): Controller {
  const own = hold() as Controller
  const force = new Float64Array(6)
  const center = new Float64Array(3)
  return {
    init: (setup) => own.init(setup),
    update(state: ControllerState<unknown>, dt) {
      const { contacts, sensors } = state
      contacts.force(link, force, 'ground')
      if (contacts.touches(link)) contacts.centerOfPressure(link, center)
      force[0] = sensors.rays[0] + sensors.imu[9]
      return own.update(state, dt)
    },
  }
}

const isSensing = controller === 'senses'
const rotor = { rotorInertia: 1e-3, gearRatio: 3 }
const actuators = isSensing
  ? [
      { joints: ['*_knee_joint'], lag: 2e-3, effortLimit: 80, noLoadSpeed: 60, ...rotor },
      { joints: ['*_hip_joint'], backlash: 1e-3, stiffness: 500, ...rotor },
    ]
  : []
const robot = withRotors(loadRobotFile(file), actuators)
const { name: joint } = robot.joints[0]
const link = robot.model.bodyName[robot.model.nb - 1]
const errors = { noise: 1e-3, bias: 1e-3, resolution: 1e-4, delay: 4e-3 }
const sensors: Record<string, SensorOptions> = {
  imu: { type: 'imu', link, ...errors },
  leg: { type: 'force-torque', joint, ...errors },
  angle: { type: 'encoder', joint, ...errors },
  rays: { type: 'rays', link: robot.model.bodyName[1], directions: [0, 0, -1, 0.6, 0, -0.8], range: 5, ...errors },
  where: { type: 'pose', of: robot.name, ...errors },
}
const named = { hold, balance, pull: hold, senses: () => senses(link) }[controller as string]
const definition = (named?.() ?? defaultControllerFor(robot)) as Controller
const loop = createControllerLoop(definition, robot, isSensing ? { sensors } : {})
const world = new World({
  robot,
  contactModel: contactModelNamed(contactModel),
  dt: 1e-3,
  controller: isSensing ? actuated(loop, robot, actuators) : loop,
})

// a gentle one, in the same direction all the time
if (controller === 'pull') world.act({ type: 'pull', link: robot.frames[0].name, to: [0, 0, 1], stiffness: 2, damping: 1 })

let hash = ''
for (let i = 0; i < Number(warmUp); i++) {
  world.step()
  if (world.stepCount === Number(compared)) hash = world.hash()
}
const allocation = await measureWindows(() => {
  for (let i = 0; i < Number(steps); i++) world.step()
})
process.stdout.write(JSON.stringify({ ...allocation, hash }))
