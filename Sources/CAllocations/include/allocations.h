#pragma once

// How often memory was asked for since the process began; -1 where it cannot be counted.
long allocations(void);
