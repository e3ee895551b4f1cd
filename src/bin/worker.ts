import { createAppliance } from '../daemon/appliance.ts'
import { compileEarly, growHeapFourfold } from '../daemon/v8-flags.ts'
import { runWorker } from '../daemon/worker-process.ts'

growHeapFourfold()
compileEarly()
runWorker(createAppliance)
