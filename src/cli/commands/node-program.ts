// `weir controller` and `weir broker`: one node in the foreground, what production runs.

import type { Command } from 'commander'

import type { Shell } from '../shell.ts'

/** The process goes on after the verb: signals end it, and it sets its own exit code (see src/node/run.ts). */
export function addNodePrograms(program: Command, _shell: Shell): void {
  program.command('controller').description('run one controller')
    .requiredOption('--config <file>', 'JSON or YAML; `weir config list --node controller` shows every key')
    .action(async ({ config }: { readonly config: string }) => {
      const [{ runNode }, { controllerProgram }] = await Promise.all([
        import('../../node/run.ts'), import('../../../controller/program.ts')])
      await runNode(controllerProgram, config)
    })
  program.command('broker').description('run one broker')
    .requiredOption('--config <file>', 'JSON or YAML; `weir config list --node broker` shows every key')
    .action(async ({ config }: { readonly config: string }) => {
      const [{ runNode }, { brokerProgram }] = await Promise.all([
        import('../../node/run.ts'), import('../../../broker/program.ts')])
      await runNode(brokerProgram, config)
    })
}
