// What a test cluster can be asked for.

export interface ClusterOptions {
  /** Default 3. */
  readonly controllers?: number
  /** Default 3. */
  readonly brokers?: number
  /** Keeps everything in this directory instead of memory; it must be empty. */
  readonly directory?: string
  /** More configuration for each broker or controller, as in a configuration file. */
  readonly brokerConfig?: Readonly<Record<string, string>>
  readonly controllerConfig?: Readonly<Record<string, string>>
  /** Least severe log line written to stderr. Default: silent. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}
