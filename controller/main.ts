// Entry point of a controller process: `node dist/controller/main.js --config FILE`.

import { configFileOf, runNode } from '../src/node/run.ts'
import { readArguments } from '../src/os/process.ts'
import { controllerProgram } from './program.ts'

await runNode(controllerProgram, configFileOf(readArguments(), 'controller'))
