// Entry point of a broker process: `node dist/broker/main.js --config FILE`.

import { configFileOf, runNode } from '../src/node/run.ts'
import { readArguments } from '../src/os/process.ts'
import { brokerProgram } from './program.ts'

await runNode(brokerProgram, configFileOf(readArguments(), 'broker'))
