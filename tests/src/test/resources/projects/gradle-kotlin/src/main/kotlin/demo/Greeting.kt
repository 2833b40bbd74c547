package demo

import io.chagres.fuse.Attributes
import io.chagres.fuse.FuseOptions
import io.chagres.fuse.FuseServer
import io.chagres.fuse.path.PathFileSystem
import java.nio.ByteBuffer
import java.nio.file.Files
import java.nio.file.NoSuchFileException
import java.nio.file.Path

/** Mounts a file system of one file, and reads it. */
class Greeting(private val text: ByteArray) : PathFileSystem {
    override fun getattr(path: String, attributes: Attributes) {
        when (path) {
            "/" -> attributes.directory(0b111_101_101)
            "/greeting" -> attributes.file(0b100_100_100, text.size.toLong())
            else -> throw NoSuchFileException(path)
        }
    }

    override fun readdir(path: String) = listOf("greeting")

    override fun read(path: String, handle: Long, buffer: ByteBuffer, position: Long) {
        val start = minOf(position, text.size.toLong()).toInt()
        buffer.put(text, start, minOf(buffer.remaining(), text.size - start))
    }
}

fun main(args: Array<String>) {
    val directory = Path.of(args[0])
    FuseServer.mount(Greeting("hello\n".toByteArray()).byNodes(), directory, FuseOptions.DEFAULTS).use { server ->
        print(Files.readString(directory.resolve("greeting")))
        server.unmount()
    }
}
