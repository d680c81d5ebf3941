import CNghttp2
import Glibc
import TestSupport
import Testing

@testable import HTTP2

@Suite struct SessionMemoryTests {
  /// A block with what was written to it.
  @safe private struct Block {
    let start: UnsafeMutableRawPointer
    let count: Int
    let mark: UInt8

    var isWhole: Bool {
      unsafe UnsafeRawBufferPointer(start: start, count: count).allSatisfy { $0 == mark }
    }
  }

  @Test(arguments: 1...8)
  func `blocks keep their bytes, whatever is asked and given back between`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let memory = SessionMemory()
    let functions = unsafe memory.functions
    var blocks: [Block] = []
    for step in 0..<4_000 {
      let count = Int.random(in: 0...(step % 7 == 0 ? 5_000 : 300), using: &random)
      let mark = UInt8.random(in: 1...255, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        unsafe blocks.append(try block(functions.malloc(count, functions.mem_user_data)))
      case 1:
        let start = unsafe try #require(functions.calloc(count, 1, functions.mem_user_data))
        #expect(unsafe Block(start: start, count: count, mark: 0).isWhole)
        unsafe blocks.append(try block(start))
      case 2 where !blocks.isEmpty:
        let old = blocks.remove(at: Int.random(in: 0..<blocks.count, using: &random))
        #expect(old.isWhole)
        let start = unsafe try #require(
          functions.realloc(old.start, count, functions.mem_user_data))
        let kept = unsafe Block(start: start, count: min(count, old.count), mark: old.mark)
        #expect(kept.isWhole)
        unsafe blocks.append(try block(start))
      case 3 where !blocks.isEmpty:
        let old = blocks.remove(at: Int.random(in: 0..<blocks.count, using: &random))
        #expect(old.isWhole)
        unsafe functions.free(old.start, functions.mem_user_data)
      default: break
      }
      func block(_ start: UnsafeMutableRawPointer?) throws -> Block {
        let start = unsafe try #require(start)
        #expect(Int(bitPattern: start) % 16 == 0)
        unsafe memset(start, Int32(mark), count)
        return unsafe Block(start: start, count: count, mark: mark)
      }
    }
    for block in blocks { unsafe functions.free(block.start, functions.mem_user_data) }
  }

  @Test func `a block given back is the next of its size`() {
    let memory = SessionMemory()
    let functions = unsafe memory.functions
    let first = unsafe functions.malloc(100, functions.mem_user_data)
    unsafe functions.free(first, functions.mem_user_data)
    unsafe functions.free(nil, functions.mem_user_data)
    let second = unsafe functions.malloc(97, functions.mem_user_data)
    #expect(unsafe first == second)
    unsafe functions.free(second, functions.mem_user_data)
  }
}
