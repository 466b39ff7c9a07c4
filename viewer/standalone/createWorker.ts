import SimulationWorker from '../runs/simulation.worker.ts?worker&inline'

/** As ../createWorker.ts, with the worker's code inside the page. */
export const createWorker = (): Worker => new SimulationWorker({ name: 'featherbed simulation' })
