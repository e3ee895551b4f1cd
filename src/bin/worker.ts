import { createAppliance } from '../daemon/appliance.ts'
import { compileEarly } from '../daemon/early-compilation.ts'
import { growHeapFourfold } from '../daemon/heap-growth.ts'
import { runWorker } from '../daemon/worker-process.ts'

growHeapFourfold()
compileEarly()
runWorker(createAppliance)
