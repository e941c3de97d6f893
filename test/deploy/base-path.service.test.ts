import { describeBasePath } from './describe-base-path.ts';

describeBasePath({ cutsOff: false });
