export interface NodeBinary {
  readonly program: string;
  readonly version: string;
  /** `process.platform` and `process.arch`, such as `linux-x64`. */
  readonly platform: string;
}

export function checkNodeBinary(node: NodeBinary): 'sound' | 'unknown' | 'foreign';
