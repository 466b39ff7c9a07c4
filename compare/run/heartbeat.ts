/**
 * Values of a thread's heartbeat besides those of `ControllerLoopOptions.heartbeat`: a controller is loaded, and work that it left
 * behind is waited for.
 */
export const LOADING = -2
export const LEAVING = -5
