//! Many runs: statistics over them, and the experiments that people make of them.
