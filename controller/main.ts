// Entry point of a controller process: `node --initial-old-space-size=128 dist/controller/main.js --config FILE`.
// What the flag is for: src/node/flags.ts.

import { configFileOf, runNode } from '../src/node/run.ts'
import { readArguments } from '../src/os/process.ts'
import { controllerProgram } from './program.ts'

await runNode(controllerProgram, configFileOf(readArguments(), 'controller'))
